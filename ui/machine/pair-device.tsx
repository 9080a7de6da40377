// Pairs a device, from the code to the person's yes.
// Invariant: a yes is about the device and the number that were on the screen for a moment.

import { useState } from "preact/hooks";
import type { Allowance } from "../../src/store/device-kind.ts";
import type { PairingAnswer, PairingCode, PairingView } from "../../src/web/api-devices.ts";
import { type ApiError, post } from "../client.ts";
import { mayWords } from "../devices/may-words.ts";
import { momentText } from "../log/time-text.ts";
import { Problem } from "../problem.tsx";
import { useArmed } from "../question/armed.ts";
import { errorOf } from "../resource.ts";
import { T } from "../text.tsx";

export interface PairDeviceProps {
  readonly pairing: PairingView | null;
  /** Where another device's browser finds this page. */
  readonly addresses: readonly string[];
}

export function PairDevice({ pairing, addresses }: PairDeviceProps) {
  const [code, setCode] = useState<PairingCode | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const failed = (thrown: unknown) => setError(errorOf(thrown));
  const begin = () => {
    setError(null);
    post<PairingCode>("/api/devices/code", {}).then(setCode, failed);
  };
  const answer = (body: PairingAnswer) => {
    setCode(null);
    post("/api/devices/answer", body).catch(failed);
  };
  return (
    <div class="panel-body pairing">
      {error !== null && <Problem error={error} />}
      {pairing?.state === "asks" ? (
        <Asks key={pairing.id} {...pairing} onAnswer={answer} />
      ) : (
        <>
          {pairing?.state === "code" && code !== null && (
            <Code code={code} triesLeft={pairing.triesLeft} addresses={addresses} />
          )}
          {pairing?.state === "confirmed" && (
            <p role="status">
              <T text={pairing.name} maxLength={60} /> is being let in…
            </p>
          )}
          {pairing?.state === "ended" && (
            <p role="status">
              No device was paired: <T text={pairing.why} maxLength={200} />.
            </p>
          )}
          <p class="button-row">
            <button class="button" type="button" onClick={begin}>
              {pairing?.state === "code" && code !== null ? "Show a new code" : "Pair a device"}
            </button>
          </p>
        </>
      )}
    </div>
  );
}

interface CodeProps {
  readonly code: PairingCode;
  readonly triesLeft: number;
  readonly addresses: readonly string[];
}

function Code({ code: { code, expires }, triesLeft, addresses: [address] }: CodeProps) {
  return (
    <div role="status">
      {address === undefined ? (
        <p>Type this code into the extension. It is for one device.</p>
      ) : (
        <p>
          On the device, open <span class="mono pairing-address">{address}</span> or the extension, and type this code.
          It is for one device.
        </p>
      )}
      <p class="pairing-code mono">{code}</p>
      <p class="quiet">
        Good until <Until time={expires} />
        {triesLeft < 5 && (
          <>. A wrong code was sent; {triesLeft === 1 ? "one try is" : `${triesLeft} tries are`} left</>
        )}
      </p>
    </div>
  );
}

function Until({ time }: { readonly time: string }) {
  return <time dateTime={time}>{momentText(time, Date.now())}</time>;
}

interface AsksProps {
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
  readonly check: string;
  readonly expires: string;
  readonly onAnswer: (answer: PairingAnswer) => void;
}

const allowed = Object.entries(mayWords) as [Allowance, string][];

function Asks({ id, name, address, check, expires, onAnswer }: AsksProps) {
  const isArmed = useArmed(id);
  const [may, setMay] = useState<Allowance>("all");
  return (
    <div role="alertdialog" aria-labelledby="pairing-asks" aria-describedby="pairing-check">
      <h3 id="pairing-asks">
        A device that calls itself <T text={name} maxLength={60} /> wants to answer for you
      </h3>
      <div id="pairing-check">
        <p>Let it in only if it shows this number:</p>
        <p class="pairing-code mono">{check}</p>
      </div>
      <fieldset class="pairing-may">
        <legend>What it may do</legend>
        {allowed.map(([value, words]) => (
          <label key={value}>
            <input type="radio" name="may" value={value} checked={may === value} onChange={() => setMay(value)} />
            <span>It {words}</span>
          </label>
        ))}
      </fieldset>
      <p class="quiet">
        It asks {address !== null && <>from {address} </>}until <Until time={expires} />.
      </p>
      <p class="button-row">
        <button
          class="button"
          type="button"
          onClick={(event) => isArmed(event) && onAnswer({ id, decision: "allow", may })}
        >
          It shows {check}: let it in
        </button>
        <button
          class="button is-no"
          type="button"
          onClick={(event) => isArmed(event) && onAnswer({ id, decision: "deny" })}
        >
          Refuse it
        </button>
      </p>
    </div>
  );
}
