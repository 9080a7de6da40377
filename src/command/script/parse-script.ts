// The parser of scripts. Most calls name a program and have no script, so the bundled command loads it when it is called.

import { forEachChild, parse, type ParsedScript, type SyntaxNode } from "unbash";

export function parseScript(text: string): ParsedScript {
  return parse(text);
}

export function forEachChildNode(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit);
}
