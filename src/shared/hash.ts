// Hashing comes in as a parameter wherever the browser must be able to run the code too.

/** SHA-256 of UTF-8 text, in lower-case hexadecimal. */
export type Hash = (text: string) => string;
