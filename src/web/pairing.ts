// Lets one device in at a time: a page shows a code, the device sends it, and a person confirms the device on the page.
// Invariant: a code is for one device, for two minutes and five tries. No device gets a token before a person has said yes to it.

import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { EntryDraft } from "../audit/entry.ts";
import type { Clock } from "../shared/clock.ts";
import type { DeviceClaim, Devices, NewDevice } from "../store/devices.ts";
import type { PairAsked, PairingCode, PairingView, PairOutcome } from "./api-devices.ts";
import { isoTime } from "./question-view.ts";

const OPEN_MS = 120_000;
const TRIES = 5;
/** 32 signs that are not mistaken for each other; eight of them are 40 bits. */
const signs = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

const wrongFiveTimes = "five wrong codes";
const tooLate = "two minutes have passed";

type Stage =
  | { readonly name: "code"; readonly code: Buffer; readonly triesLeft: number; readonly until: number }
  | {
      readonly name: "asks";
      readonly claim: Buffer;
      readonly check: string;
      readonly device: NewDevice;
      readonly until: number;
    }
  | {
      readonly name: "confirmed";
      readonly claim: Buffer;
      readonly device: NewDevice;
      readonly who: string;
      readonly until: number;
    }
  | { readonly name: "ended"; readonly claim: Buffer | null; readonly why: string; readonly until: number };

export interface PairingContext {
  readonly clock: Clock;
  readonly devices: Devices;
  /** Writes to the record, and returns once the entry is on disk. */
  readonly record: (entry: EntryDraft) => void;
}

export class Pairing {
  readonly #context: PairingContext;
  #stage: Stage | null = null;
  #version = 0;

  constructor(context: PairingContext) {
    this.#context = context;
  }

  /** Ends what has begun before. */
  newCode(): PairingCode {
    if (this.#current()?.name === "asks") this.#end("a new code was made", null);
    const code = Array.from({ length: 8 }, () => signs[randomInt(signs.length)]).join("");
    const until = this.#later();
    this.#go({ name: "code", code: hashOf(code), triesLeft: TRIES, until });
    return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expires: isoTime(until) };
  }

  /** Null if the code is wrong, used or too old. */
  ask(code: string, device: DeviceClaim): PairAsked | null {
    const stage = this.#current();
    if (stage?.name !== "code") return null;
    // SECURITY(T81): each wrong code counts, whoever sends it.
    if (!timingSafeEqual(hashOf(code.replace(/[\s-]/g, "").toUpperCase()), stage.code)) {
      const triesLeft = stage.triesLeft - 1;
      if (triesLeft > 0) this.#go({ ...stage, triesLeft });
      else this.#end(wrongFiveTimes, device.name);
      return null;
    }
    const claim = randomBytes(32).toString("base64url");
    const check = String(randomInt(1_000, 10_000));
    const until = this.#later();
    const id = `d-${randomBytes(4).toString("hex")}`;
    this.#go({ name: "asks", claim: hashOf(claim), check, device: { id, ...device }, until });
    return { claim, check, expires: isoTime(until) };
  }

  /** False if this device does not ask, or asks no more. */
  answer(id: string, isYes: boolean, who: string): boolean {
    const stage = this.#current();
    if (stage?.name !== "asks" || stage.device.id !== id) return false;
    const { claim, device } = stage;
    if (isYes) this.#go({ name: "confirmed", claim, device, who, until: this.#later() });
    else this.#end(`${who} said no`, null);
    return true;
  }

  /** Gives the device its token, once, after a person has said yes. */
  pickUp(claim: string): PairOutcome {
    const stage = this.#current();
    const isIts =
      stage !== null && "claim" in stage && stage.claim !== null && timingSafeEqual(hashOf(claim), stage.claim);
    if (!isIts) return { state: "ended", why: "this pairing is over" };
    if (stage.name === "ended") return { state: "ended", why: stage.why };
    if (stage.name === "asks") return { state: "asks" };
    const { device, who } = stage;
    const { id, name, kind, allowance, origin } = device;
    this.#context.record({ event: "device.paired", outcome: { device: id, name, kind, allowance, origin, who } });
    const token = this.#context.devices.add(device);
    this.#go(null);
    return { state: "paired", id, token };
  }

  view(): PairingView | null {
    const stage = this.#current();
    if (stage === null) return null;
    if (stage.name === "ended") return { state: "ended", why: stage.why };
    const expires = isoTime(stage.until);
    if (stage.name === "code") return { state: "code", expires, triesLeft: stage.triesLeft };
    const { id, name } = stage.device;
    return stage.name === "asks"
      ? { state: "asks", id, name, check: stage.check, expires }
      : { state: "confirmed", name };
  }

  /** Changes with what `view` returns. */
  version(): string {
    this.#current();
    return String(this.#version);
  }

  #later(): number {
    return this.#context.clock.now() + OPEN_MS;
  }

  /** The stage, unless its time is over. */
  #current(): Stage | null {
    const stage = this.#stage;
    if (stage === null || stage.until > this.#context.clock.now()) return stage;
    if (stage.name === "ended") this.#go(null);
    else this.#end(tooLate, null);
    return this.#stage;
  }

  #go(stage: Stage | null): void {
    this.#stage = stage;
    this.#version += 1;
  }

  /** `claimed`: the name of a device that has sent no right code. A code that no device has sent ends without an entry. */
  #end(why: string, claimed: string | null): void {
    const stage = this.#stage;
    const device = stage !== null && "device" in stage ? stage.device : null;
    const claim = stage !== null && "claim" in stage ? stage.claim : null;
    this.#go({ name: "ended", claim, why, until: this.#later() });
    const name = device?.name ?? claimed;
    if (name !== null)
      this.#context.record({ event: "device.refused", outcome: { device: device?.id ?? null, name, why } });
  }
}

function hashOf(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
