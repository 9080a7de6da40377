// By what a person was told of a question, and what could not tell them.

import type { ToldView } from "../../src/web/api.ts";
import { T } from "../text.tsx";
import { Age } from "../time.tsx";

export function Told({ told }: { readonly told: readonly ToldView[] }) {
  return (
    <p class="quiet question-from">
      {told.map(({ name, at, problem }, index) => (
        <span key={index}>
          {index > 0 && " · "}
          {problem === undefined ? "you were told by " : "could not be told by "}
          <T text={name} maxLength={60} />
          {problem === undefined ? (
            <>
              , <Age time={at} />
            </>
          ) : (
            <>
              : <T text={problem} maxLength={200} />
            </>
          )}
        </span>
      ))}
    </p>
  );
}
