// Recognises by their first bytes files that are not text: pictures, sounds, archives, fonts and similar data.
// Invariant: a file whose name programs read as text does not count as data, whatever its bytes are.

import { pictureType } from "../../../shared/picture-type.ts";

// Archives; documents and databases; fonts; sounds and films; pictures; tables, models and what compilers make.
const starts = [
  ..."PK\x03\x04 PK\x05\x06 \x1f\x8b BZh \xfd7zXZ \x28\xb5\x2f\xfd 7z\xbc\xaf Rar! \x04\x22\x4d\x18 MSCF !<arch> \xed\xab\xee\xdb".split(
    " ",
  ),
  ..."%PDF- %!PS SQLite \xd0\xcf\x11\xe0 {\\rtf \x1aE\xdf\xa3 bplist \xde\x12\x04\x95 \x95\x04\x12\xde".split(" "),
  ..."\0\x01\0\0 OTTO ttcf wOFF wOF2".split(" "),
  ..."ID3 \xff\xfb \xff\xf3 \xff\xf1 OggS fLaC RIFF FORM MThd FLV FWS CWS".split(" "),
  ..."\0\0\x01\0 \0\0\x02\0 II*\0 MM\0* BM 8BPS gimp glTF \xabKTX \0\0\0\x0cjP qoif".split(" "),
  ..."PAR1 \x89HDF \x93NUMPY ARROW1 Obj\x01 ORC \x80\x02 \x80\x03 \x80\x04 \x80\x05 \xac\xed\0 dex\n PACK DIRC GGUF BC\xc0 \x78\x01 \x78\x9c \x78\xda".split(
    " ",
  ),
];
// Formats that may begin with any bytes. No program runs a file because of such a name.
const anyStart =
  /\.(?:dat|data|raw|pb|onnx|safetensors|tflite|caffemodel|npz|mat|shp|shx|dbf|pcm|rgba?|tga|icns|DS_Store|keystore|jks|p12|pfx|der|cer|crt|gpg|pgp|sig|idx|db|mdb|mo|pcap|snap|fixture|golden|bytes|blob|enc|lz|lzma|br|zst|z)$/i;
// Some program reads files with these extensions, and files without an extension, line by line.
const readAsText =
  /^\.?[^.]*$|\.(?:ya?ml|json[5cl]?|toml|ini|cfg|conf|config|env|txt|md|rst|adoc|xml|csv|tsv|properties|lock|in|ac|am|m4|css|s[ac]ss|less|tex|service|desktop|rules|policy|list|spec|patch|diff|log|j2|tmpl|tpl|ejs|erb|hbs|proto|graphql)$/i;

export function isKnownData(path: string, content: Uint8Array): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return anyStart.test(name) || (!readAsText.test(name) && beginsAsData(content));
}

function beginsAsData(content: Uint8Array): boolean {
  const start = String.fromCharCode(...content.subarray(0, 12));
  if (pictureType(content) !== null || start.slice(4, 8) === "ftyp") return true;
  if (starts.some((one) => start.startsWith(one))) return true;
  return String.fromCharCode(...content.subarray(257, 262)) === "ustar";
}
