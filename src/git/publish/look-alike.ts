// Reads text as a person does: a character counts as the one it looks like, and invisible characters are skipped. Used to detect
// imitations of names; never for text that is stored or shown.

/** For each letter of a to z: letters of other scripts, and small forms, that look like it. */
const drawnAs: Readonly<Record<string, string>> = {
  a: "аɑαᴀ⍺",
  b: "ЬƅʙВβ",
  c: "сϲᴄⅽ",
  d: "ԁɗᴅ",
  e: "еєεᴇҽ℮",
  f: "ƒꜰ",
  g: "ɡցɢԍ",
  h: "һհʜн",
  i: "іıɩɪιӏ",
  j: "јյϳᴊ",
  k: "кκᴋ",
  l: "ӏіІǀɩʟ|1اı",
  m: "мᴍ",
  n: "пոռηɴ",
  o: "оοσօᴏ0",
  p: "рρᴘ",
  q: "ԛզ",
  r: "гꭇʀᴦ",
  s: "ѕꜱ5",
  t: "тτᴛ",
  u: "υսᴜ",
  v: "νѵᴠ",
  w: "ԝѡᴡ",
  x: "хχ",
  y: "уүγʏ",
  z: "ᴢ",
};
const dashes = "\\p{Pd}\\u2212\\u02d7\\u2043\\u00ad\\u06d4\\u2796\\u4e00\\u30fc_";
const colons = ":\\u2236\\ua789\\u02d0\\u02f8\\u05c3\\u0589\\u0703\\u0704\\u16ec\\u205a";
const lineEnds = /[\n\r\v\f\u0085\u2028\u2029]/;

/** Whether a line of the text reads as a trailer of that name, `Name: …`, whatever characters spell it. */
export function readsAsTrailer(text: string, name: string): boolean {
  const letters = [...name.toLowerCase()].map((letter) => {
    if (letter === "-") return `[${dashes}]`;
    const others = drawnAs[letter] ?? "";
    return `[${letter}${others.replaceAll("|", "\\|")}]`;
  });
  const trailer = new RegExp(`^${letters.join("")}\\s*[${colons}]`, "iu");
  return text.split(lineEnds).some((line) => trailer.test(plain(line)));
}

/** Normalizes each letter and drops diacritics and invisible characters. A soft hyphen can be visible, so it stays. */
function plain(line: string): string {
  return line
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?!\u00ad)[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, (found) => (found === "\t" ? " " : ""));
}
