// Subscribes this browser to notices of its server, and ends that.
// Invariant: the browser is asked for its permission only by a person's click.

import type { SubscribeRequest } from "../../src/web/api-devices.ts";
import { ApiError, del, post } from "../client.ts";

export function hasPush(): boolean {
  return "PushManager" in globalThis && typeof Notification !== "undefined" && "serviceWorker" in navigator;
}

/** Called for a person's click. */
export async function subscribeToPush(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw failure("Your browser shows no notifications of this page.", "Its settings for this address allow them.");
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made for another key, such as that of a server before, cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe();
  let made: PushSubscription;
  try {
    made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw failure(`This browser could not reach its push service: ${why}`, "Some browsers have none.");
  }
  const { endpoint, keys } = made.toJSON() as SubscribeRequest;
  const request: SubscribeRequest = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
  try {
    await post("/api/push", request);
  } catch (error) {
    await made.unsubscribe();
    throw error;
  }
}

export async function endPush(): Promise<void> {
  await del("/api/push");
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

function failure(message: string, hint: string): ApiError {
  return new ApiError(0, { error: "refused", message, hint });
}
