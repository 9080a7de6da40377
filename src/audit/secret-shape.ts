// Secrets that are known by their looks, wherever they stand: the published formats of common services.
// Invariant: every pattern runs in linear time: a fixed beginning, then one greedy run, or runs of bounded length.

export const redacted = "[redacted]";

// A token begins where no word goes on; an escape (`\n`, `%20`) written out before it is not part of a word.
const start = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`;
const end = String.raw`(?![A-Za-z0-9_])`;

const formats: readonly string[] = [
  String.raw`gh[pousr]_[A-Za-z0-9]{30,}`, // GitHub
  String.raw`github_pat_[A-Za-z0-9_]{22,}`,
  String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_.-]{20,}`, // GitLab
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${end}`, // AWS key ids
  String.raw`xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}`, // Slack
  String.raw`xapp-\d-[A-Za-z0-9-]{10,}`,
  String.raw`sk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}`, // Anthropic, OpenAI, OpenRouter
  String.raw`sk-[A-Za-z0-9]{32,}`,
  String.raw`AIza[A-Za-z0-9_-]{35}`, // Google
  String.raw`ya29\.[A-Za-z0-9_-]{20,}`,
  String.raw`GOCSPX-[A-Za-z0-9_-]{20,}`,
  String.raw`[srp]k_(?:live|test)_[A-Za-z0-9]{10,}`, // Stripe
  String.raw`whsec_[A-Za-z0-9+/=]{20,}`,
  String.raw`npm_[A-Za-z0-9]{36}${end}`,
  String.raw`pypi-[A-Za-z0-9_-]{16,}`,
  String.raw`(?:bot)?\d{6,12}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])`, // Telegram bots
  String.raw`SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}`, // SendGrid
  String.raw`hf_[A-Za-z0-9]{30,}`, // Hugging Face
  String.raw`do[opr]_v1_[a-f0-9]{40,}`, // DigitalOcean
  String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`, // Shopify
  String.raw`dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`, // Docker
  String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,}`, // Vault
  String.raw`lin_api_[A-Za-z0-9]{30,}`,
  String.raw`ntn_[A-Za-z0-9]{40,}`,
  String.raw`dapi[a-f0-9]{32}`, // Databricks
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{50,}`,
  String.raw`gsk_[A-Za-z0-9]{40,}`,
  String.raw`xai-[A-Za-z0-9]{40,}`,
  String.raw`r8_[A-Za-z0-9]{36,}`,
  String.raw`glc_[A-Za-z0-9+/=]{32,}`,
  String.raw`sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}`,
  String.raw`rubygems_[a-f0-9]{48}`,
  String.raw`key-[a-f0-9]{32}${end}`, // Mailgun
  String.raw`SK[a-f0-9]{32}${end}`, // Twilio
];

const token = new RegExp(`${start}(?:${formats.join("|")})`, "g");

// Three parts; the first is always `{"…`. The dot keeps each attempt to the parts it begins with.
const jwt =
  /(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;

const webhook =
  /((?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks\/\d{1,20})\/)[A-Za-z0-9_/-]{16,}/g;

const bearer = /(?<![A-Za-z0-9_])(bearer[ \t]{1,4})(?=[A-Za-z._~+/=-]{0,64}[0-9_])([A-Za-z0-9._~+/=-]{16,})/gi;

const awsSecretKey = /(?<![A-Za-z0-9/+=])(?![a-f0-9]{40})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

export function hasAwsKeyId(text: string): boolean {
  return /(?<![A-Za-z0-9_])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_])/.test(text);
}

/** AWS secret keys have no mark of their own: they are looked for only beside a key id. */
export function redactAwsSecretKeys(text: string): string {
  return text.replace(awsSecretKey, redacted);
}

export function redactShapes(text: string): string {
  if (text.length < 8) return text;
  const shown = redactPrivateKeys(text).replace(jwt, redacted).replace(token, redacted);
  const withoutHooks = shown.includes(".com/") ? shown.replace(webhook, `$1${redacted}`) : shown;
  return /[ \t]/.test(withoutHooks) ? withoutHooks.replace(bearer, `$1${redacted}`) : withoutHooks;
}

const keyHeader = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyBody = /^[A-Za-z0-9+/=\s\\:.,-]*$/;
const keyBodyAlone = /[A-Za-z0-9+/=\s\\]*/y;

// The lines around it stay, so that a reader sees what was there and the script around it stays whole. A body ends at
// the next such line at the latest: this keeps the time linear, and nobody can hide a script between two of them.
function redactPrivateKeys(text: string): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let result = "";
  let position = 0;
  keyHeader.lastIndex = 0;
  for (let header = keyHeader.exec(text); header !== null; header = keyHeader.exec(text)) {
    const bodyStart = keyHeader.lastIndex;
    const nextLine = text.indexOf("-----", bodyStart);
    const isClosed = nextLine !== -1 && text.startsWith("-----END ", nextLine);
    const end =
      isClosed && keyBody.test(text.slice(bodyStart, nextLine)) ? nextLine : runEnd(keyBodyAlone, text, bodyStart);
    result += text.slice(position, bodyStart) + (end > bodyStart ? redacted : "");
    position = end;
    keyHeader.lastIndex = end;
  }
  return result + text.slice(position);
}

function runEnd(run: RegExp, text: string, from: number): number {
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}
