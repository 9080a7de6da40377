// On a paired device: switches the notices on and off that come while its page is closed.

import { useState } from "preact/hooks";
import type { PushView } from "../../src/web/api-devices.ts";
import { type ApiError, get } from "../client.ts";
import { Problem } from "../problem.tsx";
import { errorOf, useResource } from "../resource.ts";
import { endPush, hasPush, subscribeToPush } from "./push-subscription.ts";

export function PushSwitch() {
  const [changes, setChanges] = useState(0);
  const [error, setError] = useState<ApiError | null>(null);
  const path = hasPush() ? "/api/push" : null;
  const { value } = useResource<PushView>(path, String(changes));
  if (value === null) return null;
  const isOn = value.endpoint !== null;
  const change = async (): Promise<void> => {
    setError(null);
    await (isOn ? endPush() : subscribeToPush((await get<PushView>("/api/push")).publicKey));
    setChanges(changes + 1);
  };
  return (
    <div class="panel-body">
      <p class="button-row">
        <button class="button" type="button" onClick={() => void change().catch((why) => setError(errorOf(why)))}>
          {isOn ? "End notices on this device" : "Notify me on this device"}
        </button>
      </p>
      <p class="quiet">
        {isOn
          ? "This device is told when a question waits, also while this page is closed."
          : "It is then told when a question waits, also while this page is closed. The push service of its browser learns when, and not what."}
      </p>
      {error !== null && <Problem error={error} />}
    </div>
  );
}
