// Revokes a paired device. The revocation is recorded first. If it cannot be recorded, nothing is revoked.

import type { Journal } from "../audit/journal.ts";
import type { Devices } from "../store/devices.ts";

/** False if there is no such device. */
export function revokeDevice(id: string, who: string, journal: Journal, devices: Devices): boolean {
  const device = devices.find(id);
  if (device === undefined) return false;
  const { name, kind } = device;
  journal.append({ event: "device.revoked", outcome: { device: id, name, kind, who } }, { durable: true });
  return devices.remove(id);
}
