// The tools a gate knows. A tool is there because somebody registered it; none registers itself.

import { type Tool } from "./tool.ts";

export interface Registry {
  register<Arguments>(tool: Tool<Arguments>): void;
  find(name: string): Tool | undefined;
  readonly names: readonly string[];
}

export function createRegistry(): Registry {
  const tools = new Map<string, Tool>();
  return {
    register(tool) {
      if (tools.has(tool.name)) throw new TypeError(`a tool named ${tool.name} is registered already`);
      tools.set(tool.name, tool as Tool<unknown>);
    },
    find: (name) => tools.get(name),
    get names() {
      return [...tools.keys()];
    },
  };
}
