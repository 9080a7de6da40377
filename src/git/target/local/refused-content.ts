// Finds content that git accepts into no repository, before the gate asks a person. Git itself decides when the commit lands. This
// module checks only the obvious problems of `.gitmodules` and `.gitattributes`.

import { fail, type Result } from "../../../shared/result.ts";
import { parseConfigFile } from "../../config-file.ts";
import type { Landing } from "../target.ts";
import { splitPath } from "../../../process/directory-handle.ts";

// Git does not read a line this long.
const ATTRIBUTES_LINE_BYTES = 2048;

export function refusedContent({ steps }: Landing): Result<never> | null {
  for (const { path, before, after } of steps.flatMap(({ changes }) => changes)) {
    if (after === null || after.id === before?.id || after.mode === "120000") continue;
    const name = splitPath(path)[1].toLowerCase();
    const problem =
      name === ".gitmodules"
        ? modulesProblem(after.content)
        : name === ".gitattributes"
          ? attributesProblem(after.content)
          : null;
    if (problem !== null)
      return fail("invalid_args", `${JSON.stringify(path)} ${problem}: git takes no such file.`, {
        hint: "Nothing was changed. Mend it in the workspace, and stage it again.",
      });
  }
  return null;
}

function modulesProblem(content: Uint8Array): string | null {
  for (const { section, subsection, key, value } of parseConfigFile(new TextDecoder().decode(content))) {
    if (section !== "submodule" || subsection === null) continue;
    if (subsection === "" || subsection.split(/[/\\]/).includes("..")) return "names a submodule that lies outside";
    if (value === null) continue;
    if ((key === "url" || key === "path") && value.startsWith("-"))
      return `has a ${key} of a submodule that is an option`;
    if (key === "update" && value.startsWith("!")) return "has a command as the update of a submodule";
  }
  return null;
}

function attributesProblem(content: Uint8Array): string | null {
  const nul = content.indexOf(0);
  const end = nul < 0 ? content.length : nul;
  for (let at = 0; at < end;) {
    const found = content.indexOf(0x0a, at);
    const behind = found < 0 || found > end ? end : found;
    if (behind - at >= ATTRIBUTES_LINE_BYTES) return `has a line of ${behind - at} bytes`;
    at = behind + 1;
  }
  return null;
}
