// The side panel: pairs with a gate, and then shows what the page shows.

import { useEffect, useState } from "preact/hooks";
import { isEntered, onEntered } from "../ui/client.ts";
import { PageFrame } from "../ui/page-frame.tsx";
import { parseRoute, useHash } from "../ui/route.ts";
import { View } from "../ui/view.tsx";
import { PairForm } from "./pair-form.tsx";

export function SidePanel() {
  const hash = useHash();
  const [isPaired, setIsPaired] = useState(isEntered());
  useEffect(() => onEntered(() => setIsPaired(isEntered())), []);
  if (!isPaired) return <PairForm onPaired={() => setIsPaired(true)} />;
  const route = parseRoute(hash);
  return (
    <PageFrame route={route}>
      <View route={route} />
    </PageFrame>
  );
}
