// Links: they neither widen a grant nor break a program that is named through one.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { bash, exec, ran, refused } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

export function describeLinks(name: string, context: ContractContext): void {
  describe(`${name}: links`, () => {
    const directories = usePlace();
    writeFileSync(`${directories.outside}/secret.txt`, "secret");
    mkdirSync(`${directories.base}/real/tools`, { recursive: true });
    writeFileSync(`${directories.base}/real/file.txt`, "granted");
    writeFileSync(`${directories.base}/real/tools/multi`, '#!/bin/sh\necho "as $0"\n');
    chmodSync(`${directories.base}/real/tools/multi`, 0o755);
    symlinkSync(`${directories.base}/real`, `${directories.base}/alias`);
    symlinkSync("/usr/bin/python3", `${directories.outside}/python`);
    symlinkSync(`${directories.base}/real/tools/multi`, `${directories.outside}/applet`);
    const grants = {
      paths: [
        { path: "/usr", mode: "r" },
        { path: directories.root, mode: "rw" },
        { path: `${directories.base}/alias`, mode: "r" },
      ],
    } as const;
    const gate = useGate(context, directories, grants);

    test("a link in an rw grant to something outside leads nowhere, for reading and for writing", async () => {
      symlinkSync(`${directories.outside}/secret.txt`, `${directories.root}/to-secret`);
      symlinkSync(directories.outside, `${directories.root}/to-outside`);
      const { stdout, exit_code } = await bash(
        gate,
        `cd ${directories.root}; cat to-secret to-outside/secret.txt; echo x > to-secret; echo x > to-outside/new; ln -s ${directories.outside} made; cat made/secret.txt`,
      );
      assert.equal(stdout, "");
      assert.notEqual(exit_code, 0);
      assert.equal(readFileSync(`${directories.outside}/secret.txt`, "utf8"), "secret");
      assert.ok(!existsSync(`${directories.outside}/new`));
    });

    test("a path granted through a link works under both names", async () => {
      assert.equal(
        (await bash(gate, `cat ${directories.base}/real/file.txt ${directories.base}/alias/file.txt`)).stdout,
        "grantedgranted",
      );
      assert.equal(
        ran(await exec(gate, ["/bin/cat", "file.txt"], { cwd: `${directories.base}/alias` })).stdout,
        "granted",
      );
    });

    test("a program named by a link outside the grants runs under that name, if what it leads to is granted", async () => {
      assert.equal(
        ran(await exec(gate, [`${directories.outside}/applet`])).stdout,
        `as ${directories.outside}/applet\n`,
      );
      const { stdout } = await bash(gate, `ls -A ${directories.outside}; cat ${directories.outside}/secret.txt`);
      assert.equal(stdout, "", "and nothing else of that directory is there");
    });

    test(
      "a virtual environment finds itself by the name it was started by",
      { skip: !existsSync("/usr/bin/python3") && "there is no /usr/bin/python3" },
      async () => {
        const venv = `${directories.root}/venv`;
        mkdirSync(`${venv}/bin`, { recursive: true });
        symlinkSync("/usr/bin/python3", `${venv}/bin/python`);
        writeFileSync(`${venv}/pyvenv.cfg`, "home = /usr/bin\ninclude-system-site-packages = false\n");
        const { stdout, stderr } = ran(await exec(gate, [`${venv}/bin/python`, "-c", "import sys; print(sys.prefix)"]));
        assert.equal(stdout, `${venv}\n`, stderr);
      },
    );

    test("a program named by a link to something ungranted is refused", async () => {
      writeFileSync(`${directories.outside}/tool`, "#!/bin/sh\necho ran\n");
      chmodSync(`${directories.outside}/tool`, 0o755);
      symlinkSync(`${directories.outside}/tool`, `${directories.root}/granted-name`);
      assert.equal(refused(await exec(gate, [`${directories.root}/granted-name`])).error, "fs_denied");
    });
  });
}
