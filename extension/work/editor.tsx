// A field for a file, with line numbers. Tab indents; after Escape it leaves the field, so that the keyboard is not caught.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { breakLine, indentLines, indentOf } from "./editing.ts";

const LINES_ABOVE = 4;

export interface EditorProps {
  readonly text: string;
  readonly label: string;
  readonly isReadOnly: boolean;
  /** To show at the beginning, counted from 1, with the caret in it. */
  readonly line: number | null;
  readonly onText: (text: string) => void;
}

export function Editor({ text, label, isReadOnly, line, onText }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  const [isLeaving, setIsLeaving] = useState(false);
  const lines = text.split("\n").length;
  const follow = () => {
    if (numbers.current !== null && field.current !== null)
      numbers.current.style.transform = `translateY(${-field.current.scrollTop}px)`;
  };
  useLayoutEffect(follow, [lines]);
  useLayoutEffect(() => {
    if (line !== null && field.current !== null) showLine(field.current, line);
  }, [line]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { current } = field;
    if (current === null || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return setIsLeaving(true);
    if (event.key === "Shift") return;
    setIsLeaving(false);
    if (isReadOnly) return;
    if (event.key === "Tab" && !isLeaving) {
      event.preventDefault();
      indentLines(current, indentOf(current.value), event.shiftKey);
    } else if (event.key === "Enter") {
      event.preventDefault();
      breakLine(current);
    }
  };
  return (
    <>
      <div class="editor" style={{ "--digits": String(String(lines).length) }}>
        <div class="editor-gutter" aria-hidden="true">
          <pre ref={numbers}>{numbersTo(lines)}</pre>
        </div>
        <textarea
          ref={field}
          class="editor-field"
          aria-label={label}
          aria-describedby="editor-keys"
          value={text}
          readOnly={isReadOnly}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onScroll={follow}
          onBlur={() => setIsLeaving(false)}
        />
      </div>
      <p class="quiet editor-keys" id="editor-keys">
        {isLeaving ? (
          <>
            <kbd>Tab</kbd> leaves the editor now
          </>
        ) : (
          <>
            <kbd>Tab</kbd> indents; <kbd>Esc</kbd> <kbd>Tab</kbd> leaves; <kbd>Ctrl</kbd> <kbd>S</kbd> saves
          </>
        )}
      </p>
    </>
  );
}

function showLine(field: HTMLTextAreaElement, line: number): void {
  const before = field.value.split("\n").slice(0, line - 1);
  const at = before.join("\n").length + Math.min(before.length, 1);
  field.focus();
  field.setSelectionRange(at, at);
  const heightOfLine = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.scrollTop = Math.max(0, (before.length - LINES_ABOVE) * heightOfLine);
}

function numbersTo(last: number): string {
  let text = "";
  for (let number = 1; number <= last; number += 1) text += `${number}\n`;
  return text;
}
