// A labelled field of a form.

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
  const id = useId();
  return (
    <div class="form-field">
      <label class="label" for={id}>
        {label}
      </label>
      <input
        id={id}
        class={`field${isCode ? " mono" : ""}`}
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
    </div>
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
  const id = useId();
  return (
    <div class="form-field">
      <label class="label" for={id}>
        {label}
      </label>
      <select
        id={id}
        class={`field${isCode ? " mono" : ""}`}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </div>
  );
}
