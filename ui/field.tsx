// Labelled fields of a form.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly maxLength: number;
  /** What belongs into it. */
  readonly hint?: ComponentChildren;
  readonly type?: "text" | "password" | "search";
  readonly isRequired?: boolean;
  readonly isCode?: boolean;
  readonly placeholder?: string;
}

export function Field(props: FieldProps) {
  const { label, value, onValue, maxLength, hint, type = "text", isRequired = false, isCode = false } = props;
  return (
    <Labelled label={label}>
      {(id) => (
        <>
          <input
            id={id}
            class={classOf(isCode)}
            // Each of them is one, but their types have no union in common.
            type={type as "text"}
            value={value}
            required={isRequired}
            maxLength={maxLength}
            placeholder={props.placeholder}
            autocomplete="off"
            spellcheck={false}
            aria-describedby={hint === undefined ? undefined : `${id}-hint`}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          {hint !== undefined && (
            <p class="quiet form-hint" id={`${id}-hint`}>
              {hint}
            </p>
          )}
        </>
      )}
    </Labelled>
  );
}

export interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly name: string }[];
  readonly onValue: (value: Value) => void;
  readonly isCode?: boolean;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, value, options, onValue, isCode = false } = props;
  return (
    <Labelled label={label}>
      {(id) => (
        <select
          id={id}
          class={classOf(isCode)}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly children: (id: string) => ComponentChildren;
}

function Labelled({ label, children }: LabelledProps) {
  const id = useId();
  return (
    <div class="form-field">
      <label class="label" for={id}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}

function classOf(isCode: boolean): string {
  return isCode ? "field mono" : "field";
}
