// The devices that may answer for the person: what is paired, a way to revoke it, and a way to pair another.

import { useState } from "preact/hooks";
import type { DeviceRow, DevicesView } from "../../src/web/api-devices.ts";
import { useLive } from "../live.ts";
import { agoText, momentText } from "../log/time-text.ts";
import { Problem } from "../problem.tsx";
import { useResource } from "../resource.ts";
import { RevokeButton } from "../revoke.tsx";
import { shown, T } from "../text.tsx";
import { mayWords } from "../devices/may-words.ts";
import { PushSwitch } from "../devices/push-switch.tsx";
import { PairDevice } from "./pair-device.tsx";
import "./devices.css";

export function DevicesPanel() {
  const { state } = useLive();
  const [revoked, setRevoked] = useState<readonly string[]>([]);
  const { value, error } = useResource<DevicesView>("/api/devices", `${state?.devices ?? ""} ${revoked.length}`);
  const devices = (value?.devices ?? []).filter(({ id }) => !revoked.includes(id));
  const onRevoked = (id: string) => {
    setRevoked([...revoked, id]);
    // The pressed button is gone, so the focus moves to the beginning of the view.
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <section class="panel machine-panel" aria-labelledby="devices-title">
      <div class="panel-title machine-title">
        <h2 id="devices-title">Devices that may answer for you</h2>
        <p class="quiet" role="status">
          {revoked.length > 0 && "Revoked. It may do nothing from now on."}
        </p>
      </div>
      {error !== null && <Problem error={error} />}
      {value !== null && devices.length === 0 && <p class="panel-body quiet">None but this page is paired.</p>}
      {devices.length > 0 && (
        <ul class="list remembered" aria-label="Paired devices">
          {devices.map((device) => (
            <Device
              key={device.id}
              device={device}
              isOwn={device.id === value?.own}
              canRevoke={value?.own === null || device.id === value?.own}
              onRevoked={onRevoked}
            />
          ))}
        </ul>
      )}
      {value !== null && value.own !== null && <PushSwitch />}
      {value !== null && value.own !== null && (
        <p class="panel-body quiet">Others are paired and revoked on the machine where the gate runs.</p>
      )}
      {value !== null && value.own === null && <PairDevice pairing={value.pairing} addresses={value.addresses} />}
    </section>
  );
}

const kindWords = { extension: "browser extension", browser: "browser" } as const;

interface DeviceProps {
  readonly device: DeviceRow;
  readonly isOwn: boolean;
  readonly canRevoke: boolean;
  readonly onRevoked: (id: string) => void;
}

function Device({ device, isOwn, canRevoke, onRevoked }: DeviceProps) {
  const { id, name, kind, allowance, address, paired, seen } = device;
  const now = Date.now();
  return (
    <li>
      <div class="remembered-words">
        <p>
          <strong>
            <T text={name} maxLength={60} />
          </strong>{" "}
          <span class="quiet">
            {kindWords[kind]}
            {isOwn && ", this one"}: {mayWords[allowance]}
          </span>
        </p>
        <p class="quiet remembered-by">
          <span class="mono">{id}</span>, paired{" "}
          <time dateTime={paired} title={momentText(paired, now)}>
            {agoText(paired, now)}
          </time>
          , seen{" "}
          <time dateTime={seen} title={momentText(seen, now)}>
            {agoText(seen, now)}
          </time>
          {address !== null && (
            <>
              {" "}
              from <T text={address} maxLength={60} />
            </>
          )}
        </p>
      </div>
      {canRevoke && (
        <RevokeButton
          name={shown(name, { maxLength: 60 })}
          path={`/api/devices/${encodeURIComponent(id)}`}
          isOwn={isOwn}
          title="Revoke this device?"
          onRevoked={() => onRevoked(id)}
        >
          <p>
            <strong>
              <T text={name} maxLength={60} />
            </strong>{" "}
            can then read and answer nothing more. What it answered stays.
          </p>
        </RevokeButton>
      )}
    </li>
  );
}
