// The registry of sandbox kinds: the first that works is used. `none` is the last, and always works.
import type { SandboxName } from '../../model/sandbox.ts'
import { bubblewrap } from './bubblewrap.ts'
import type { SandboxKind } from './kind.ts'
import { none } from './none.ts'

const KINDS: { readonly [N in SandboxName]: SandboxKind } = { bubblewrap, none }

export const SANDBOX_KINDS: readonly SandboxKind[] = Object.values(KINDS)
