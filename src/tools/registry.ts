// The tools a gate knows. A tool is there because somebody registered it; none registers itself.

import type { ToolDescription } from "./tool-schema.ts";
import type { Tool } from "./tool.ts";

export interface Registry {
  register<Arguments>(tool: Tool<Arguments>): void;
  find(name: string): Tool | undefined;
  readonly names: readonly string[];
  /** For tools that are loaded when they are first called: once it is fulfilled, `find` knows the tool of this name. */
  ready?(name: string): Promise<void>;
  /** What a tool says of itself, where that is known without loading it. */
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
