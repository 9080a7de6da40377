// What a paired device is, and what it may do. Without the database: the help of the command line and the page use it.

/** What kind of program a device is: the browser extension, or a browser that shows the page. */
export const deviceKinds = ["extension", "browser"] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** What a device may do: what the page may, except letting in other devices; answer questions of low risk; only look. */
export const allowances = ["all", "low", "see"] as const;
export type Allowance = (typeof allowances)[number];
