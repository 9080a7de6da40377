// The tools that a gate knows. The program that opens the gate registers each tool; no tool registers itself.

import type { ToolDescription } from "./tool-schema.ts";
import type { Tool } from "./tool.ts";

export interface Registry {
  register<Arguments>(tool: Tool<Arguments>): void;
  find(name: string): Tool | undefined;
  readonly names: readonly string[];
  /** For tools that are loaded at their first call. After the promise resolves, `find` returns the tool of this name. */
  ready?(name: string): Promise<void>;
  /** The tool's description, if it is known without loading the tool. */
  describe?(name: string): ToolDescription | undefined;
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
