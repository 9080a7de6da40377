import type { ProgramExamples } from "./program-examples.ts";

export const archivesExamples: ProgramExamples = {
  tar: {
    starts: [
      ["tar cf x.tar a --checkpoint=1 --checkpoint-action=exec='rm x'", "rm x"],
      ["tar xf x.tar --to-command='rm x'", "rm x …"],
      ["tar -I 'rm x' -cf a.tar b", "rm x …"],
      ["tar xf a --use-compress-program='rm x'", "rm x …"],
      ["tar -cMf a -F 'rm x' b", "rm x …"],
      ["tar -czf x.tgz src --exclude=x"],
      ["tar xf a.tar -C b --checkpoint-action=dot"],
    ],
  },
  zip: {
    starts: [
      ["zip -T -TT 'rm x' a.zip b", "rm x …"],
      ["zip -T --unzip-command 'rm x' a.zip b", "rm x …"],
      ["zip -r a.zip b"],
    ],
  },
  split: { starts: [["split -l 1 --filter='rm x' a", "rm x …"], ["split -b 10m a b"]] },
};
