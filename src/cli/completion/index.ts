// The registry of shells: one file and one line each.
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import type { Node } from './model.ts'
import { zshScript } from './zsh.ts'

export const SHELLS = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
} as const satisfies Record<string, (nodes: readonly Node[]) => string>

export type Shell = keyof typeof SHELLS
