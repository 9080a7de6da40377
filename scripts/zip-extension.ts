// Packs dist/extension into dist/extension.zip, and prints its size. The same files make the same bytes.
//
//   node scripts/zip-extension.ts

import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";

const directory = fileURLToPath(new URL("../dist/extension", import.meta.url));
const target = `${directory.slice(0, directory.lastIndexOf("/"))}/extension.zip`;

/** The first of January 1980: the earliest date of the format. */
const date = 0x0021;
const deflated = 8;

interface Packed {
  readonly name: Buffer;
  readonly data: Buffer;
  readonly crc: number;
  readonly size: number;
}

/** What the header of a file and its entry in the directory have in common. */
function commonFields({ name, data, crc, size }: Packed): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // the version that is needed
  fields.writeUInt16LE(0x0800, 2); // names are UTF-8
  fields.writeUInt16LE(deflated, 4);
  fields.writeUInt16LE(date, 8);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function signature(text: string): Buffer {
  return Buffer.from(`PK${text}`, "latin1");
}

function zip(files: readonly Packed[]): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const body = Buffer.concat([signature("\x03\x04"), commonFields(file), file.name, file.data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([signature("\x01\x02\x14\x00"), commonFields(file), place, file.name]));
    bodies.push(body);
    at += body.length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, list, signature("\x05\x06"), end]);
}

const names = globSync("**/*", { cwd: directory })
  .filter((name) => statSync(`${directory}/${name}`).isFile())
  .toSorted();
const files = names.map((name): Packed => {
  const bytes = readFileSync(`${directory}/${name}`);
  return { name: Buffer.from(name), data: deflateRawSync(bytes, { level: 9 }), crc: crc32(bytes), size: bytes.length };
});
const packed = zip(files);
writeFileSync(target, packed);
console.log(`${target}: ${files.length} files, ${Math.ceil(packed.length / 1024)} KB`);
console.log(`In chrome://extensions, switch Developer mode on, choose Load unpacked, and choose ${directory}`);
