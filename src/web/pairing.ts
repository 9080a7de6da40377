// Lets one device in at a time: a person's page or terminal shows a code, the device sends it, and the person confirms the device there.
// Invariant: a code is for one device, for two minutes and five tries. No device gets a token before a person has said yes to it.
// All processes on a state directory share one pairing, so five tries are five tries, wherever they are sent.

import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { EntryDraft } from "../audit/entry.ts";
import type { Clock } from "../shared/clock.ts";
import type { Allowance } from "../store/device-kind.ts";
import type { DeviceClaim, Devices, NewDevice } from "../store/devices.ts";
import type { PairAsked, PairingCode, PairingView, PairOutcome } from "./api-devices.ts";
import { isoTime } from "./question-view.ts";

const OPEN_MS = 120_000;
const TRIES = 5;
/** 32 signs that are not mistaken for each other; eight of them are 40 bits. */
const signs = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

const wrongFiveTimes = "five wrong codes";
const tooLate = "two minutes have passed";

/** As it is kept. `code` and `claim` are hashes. */
type Stage =
  | { readonly name: "code"; readonly code: string; readonly triesLeft: number; readonly until: number }
  | {
      readonly name: "asks";
      /** The code that it has sent. */
      readonly code: string;
      readonly claim: string;
      readonly check: string;
      readonly device: DeviceClaim & { readonly id: string };
      readonly until: number;
    }
  | {
      readonly name: "confirmed";
      readonly claim: string;
      readonly device: NewDevice;
      readonly who: string;
      readonly until: number;
    }
  | { readonly name: "ended"; readonly claim: string | null; readonly why: string; readonly until: number };

export interface PairingContext {
  readonly clock: Clock;
  readonly devices: Devices;
  /** Writes to the record, and returns once the entry is on disk. */
  readonly record: (entry: EntryDraft) => void;
}

export class Pairing {
  readonly #context: PairingContext;

  constructor(context: PairingContext) {
    this.#context = context;
  }

  /** Ends what has begun before. */
  newCode(): PairingCode {
    return this.#change((stage, go) => {
      if (stage?.name === "asks") this.#end(stage, "a new code was made", null, go);
      const code = Array.from({ length: 8 }, () => signs[randomInt(signs.length)]).join("");
      const until = this.#later();
      go({ name: "code", code: hashOf(code), triesLeft: TRIES, until });
      return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expires: isoTime(until) };
    });
  }

  /** Null if the code is wrong, used or too old. */
  ask(code: string, device: DeviceClaim): PairAsked | null {
    return this.#change((stage, go) => {
      if (stage?.name !== "code") return null;
      // SECURITY(T81): each wrong code counts, whoever sends it.
      if (!isSame(codeHash(code), stage.code)) {
        const triesLeft = stage.triesLeft - 1;
        if (triesLeft > 0) go({ ...stage, triesLeft });
        else this.#end(stage, wrongFiveTimes, device.name, go);
        return null;
      }
      const claim = randomBytes(32).toString("base64url");
      const check = String(randomInt(1_000, 10_000));
      const until = this.#later();
      const id = `d-${randomBytes(4).toString("hex")}`;
      go({ name: "asks", code: stage.code, claim: hashOf(claim), check, device: { id, ...device }, until });
      return { claim, check, expires: isoTime(until) };
    });
  }

  /** `may`: null for a no. False if this device does not ask, or asks no more. */
  answer(id: string, may: Allowance | null, who: string): boolean {
    return this.#change((stage, go) => {
      if (stage?.name !== "asks" || stage.device.id !== id) return false;
      const { claim, device } = stage;
      if (may === null) this.#end(stage, `${who} said no`, null, go);
      else go({ name: "confirmed", claim, device: { ...device, allowance: may }, who, until: this.#later() });
      return true;
    });
  }

  /** Whether the device that asks has sent this code. Another page or terminal may have made a newer one. */
  isAskedWith(code: string): boolean {
    const stage = this.#current();
    return stage?.name === "asks" && isSame(codeHash(code), stage.code);
  }

  /** Ends what a device has begun, also after a yes that it has not picked up. One that has its token stays paired. */
  takeBack(id: string): void {
    this.#change((stage, go) => {
      const isBegun = stage?.name === "asks" || stage?.name === "confirmed";
      if (isBegun && stage.device.id === id) this.#end(stage, "it was ended", null, go);
    });
  }

  /** Ends a code that no device has sent, and nothing else. */
  cancel(code: string): void {
    this.#change((stage, go) => {
      if (stage?.name === "code" && isSame(codeHash(code), stage.code)) this.#end(stage, "it was ended", null, go);
    });
  }

  /** Gives the device its token, once, after a person has said yes. */
  pickUp(claim: string): PairOutcome {
    return this.#change((stage, go) => {
      const isIts = stage !== null && "claim" in stage && stage.claim !== null && isSame(hashOf(claim), stage.claim);
      if (!isIts) return { state: "ended", why: "this pairing is over" };
      if (stage.name === "ended") return { state: "ended", why: stage.why };
      if (stage.name === "asks") return { state: "asks" };
      const { device, who } = stage;
      const { id, name, kind, allowance, origin, address } = device;
      this.#context.record({
        event: "device.paired",
        outcome: { device: id, name, kind, allowance, origin, address, who },
      });
      const token = this.#context.devices.add(device);
      go(null);
      return { state: "paired", id, token };
    });
  }

  view(): PairingView | null {
    const stage = this.#current();
    if (stage === null) return null;
    if (stage.name === "ended") return { state: "ended", why: stage.why };
    const expires = isoTime(stage.until);
    if (stage.name === "code") return { state: "code", expires, triesLeft: stage.triesLeft };
    const { id, name, kind, address } = stage.device;
    return stage.name === "asks"
      ? { state: "asks", id, name, kind, address, check: stage.check, expires }
      : { state: "confirmed", name };
  }

  #later(): number {
    return this.#context.clock.now() + OPEN_MS;
  }

  /** The stage, unless its time is over. */
  #current(): Stage | null {
    const stage = this.#kept();
    return stage === null || !this.#isOver(stage) ? stage : this.#change((now) => now);
  }

  #kept(): Stage | null {
    const text = this.#context.devices.pairing();
    return text === null ? null : (JSON.parse(text) as Stage);
  }

  #isOver({ until }: Stage): boolean {
    return until <= this.#context.clock.now();
  }

  #change<T>(change: (stage: Stage | null, go: (next: Stage | null) => void) => T): T {
    return this.#context.devices.changePairing((keep) => {
      const go = (next: Stage | null) => keep(next === null ? null : JSON.stringify(next));
      const stage = this.#kept();
      if (stage !== null && this.#isOver(stage)) {
        if (stage.name === "ended") go(null);
        else this.#end(stage, tooLate, null, go);
      }
      return change(this.#kept(), go);
    });
  }

  /** `claimed`: the name of a device that has sent no right code. A code that no device has sent ends without an entry. */
  #end(stage: Stage, why: string, claimed: string | null, go: (next: Stage) => void): void {
    const device = "device" in stage ? stage.device : null;
    const claim = "claim" in stage ? stage.claim : null;
    go({ name: "ended", claim, why, until: this.#later() });
    const name = device?.name ?? claimed;
    if (name !== null)
      this.#context.record({ event: "device.refused", outcome: { device: device?.id ?? null, name, why } });
  }
}

function hashOf(text: string): string {
  return hash("sha256", text);
}

function codeHash(code: string): string {
  return hashOf(code.replace(/[\s-]/g, "").toUpperCase());
}

/** Both are hashes. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
