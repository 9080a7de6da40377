// Links: they neither widen a grant nor break a program that is named through one.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { bash, exec, ran, refused } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

export function describeLinks(name: string, context: ContractContext): void {
  describe(`${name}: links`, () => {
    const place = usePlace();
    writeFileSync(`${place.outside}/secret.txt`, "secret");
    mkdirSync(`${place.base}/real/tools`, { recursive: true });
    writeFileSync(`${place.base}/real/file.txt`, "granted");
    writeFileSync(`${place.base}/real/tools/multi`, '#!/bin/sh\necho "as $0"\n');
    chmodSync(`${place.base}/real/tools/multi`, 0o755);
    symlinkSync(`${place.base}/real`, `${place.base}/alias`);
    symlinkSync("/usr/bin/python3", `${place.outside}/python`);
    symlinkSync(`${place.base}/real/tools/multi`, `${place.outside}/applet`);
    const grants = {
      paths: [
        { path: "/usr", mode: "r" },
        { path: place.root, mode: "rw" },
        { path: `${place.base}/alias`, mode: "r" },
      ],
    } as const;
    const gate = useGate(context, place, grants);

    test("a link in an rw grant to something outside leads nowhere, for reading and for writing", async () => {
      symlinkSync(`${place.outside}/secret.txt`, `${place.root}/to-secret`);
      symlinkSync(place.outside, `${place.root}/to-outside`);
      const { stdout, exit_code } = await bash(
        gate,
        `cd ${place.root}; cat to-secret to-outside/secret.txt; echo x > to-secret; echo x > to-outside/new; ln -s ${place.outside} made; cat made/secret.txt`,
      );
      assert.equal(stdout, "");
      assert.notEqual(exit_code, 0);
      assert.equal(readFileSync(`${place.outside}/secret.txt`, "utf8"), "secret");
      assert.ok(!existsSync(`${place.outside}/new`));
    });

    test("a path granted through a link works under both names", async () => {
      assert.equal(
        (await bash(gate, `cat ${place.base}/real/file.txt ${place.base}/alias/file.txt`)).stdout,
        "grantedgranted",
      );
      assert.equal(ran(await exec(gate, ["/bin/cat", "file.txt"], { cwd: `${place.base}/alias` })).stdout, "granted");
    });

    test("a program named by a link outside the grants runs under that name, if what it leads to is granted", async () => {
      assert.equal(ran(await exec(gate, [`${place.outside}/applet`])).stdout, `as ${place.outside}/applet\n`);
      const { stdout } = await bash(gate, `ls -A ${place.outside}; cat ${place.outside}/secret.txt`);
      assert.equal(stdout, "", "and nothing else of that directory is there");
    });

    test(
      "a virtual environment finds itself by the name it was started by",
      { skip: !existsSync("/usr/bin/python3") && "there is no /usr/bin/python3" },
      async () => {
        const venv = `${place.root}/venv`;
        mkdirSync(`${venv}/bin`, { recursive: true });
        symlinkSync("/usr/bin/python3", `${venv}/bin/python`);
        writeFileSync(`${venv}/pyvenv.cfg`, "home = /usr/bin\ninclude-system-site-packages = false\n");
        const { stdout, stderr } = ran(await exec(gate, [`${venv}/bin/python`, "-c", "import sys; print(sys.prefix)"]));
        assert.equal(stdout, `${venv}\n`, stderr);
      },
    );

    test("a program named by a link to something ungranted is refused", async () => {
      writeFileSync(`${place.outside}/tool`, "#!/bin/sh\necho ran\n");
      chmodSync(`${place.outside}/tool`, 0o755);
      symlinkSync(`${place.outside}/tool`, `${place.root}/granted-name`);
      assert.equal(refused(await exec(gate, [`${place.root}/granted-name`])).error, "fs_denied");
    });
  });
}
