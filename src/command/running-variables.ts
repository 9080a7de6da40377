// Variables by which programs start others: what they are set to is a command line, run when such a program wants it.

import { type CommandWord, knownWord, unknownWord } from "./command-word.ts";
import { type Inner, innerScript, unknownInner, withMore } from "./inner-row.ts";

const commandVariable =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND)|(?:.*_)?(?:PAGER|EDITOR|ASKPASS)|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|.*_RSH|SVN_SSH)$/;
const settingVariable = /^GIT_CONFIG_(?:PARAMETERS|VALUE_\d+)$/;

/** `NAME=value` before a command, or for env. */
export function assignedInner(name: string, value: CommandWord): Inner[] {
  if (settingVariable.test(name)) return [unknownInner];
  if (!commandVariable.test(name) || value.text === "") return [];
  if (value.text === null) return [unknownInner];
  // An editor or a pager that is only named is one that is not used yet: whether it waits for a person is seen then.
  if (/^[\w./-]+(?: -[\w=-]+)*$/.test(value.text))
    return [{ kind: "command", words: [...value.text.split(" ").map(knownWord), unknownWord], isUnused: true }];
  return innerScript(withMore(knownWord(value.text.replace(/^\|+-?/, ""))));
}
