// The fuzz targets.
import { AGENT_TARGETS } from './agent.ts'
import { ARCHIVE_TARGETS } from './archive.ts'
import { ATTESTED_TARGET } from './attested.ts'
import { CALL_TARGETS } from './calls.ts'
import { CONTRACT_TARGETS } from './contract.ts'
import { JUDGED_TARGETS } from './judged.ts'
import { KEYLESS_TARGET } from './keyless.ts'
import { LONG_TARGET } from './long.ts'
import { MESSAGE_TARGET } from './messages.ts'
import { NAME_TARGETS } from './names.ts'
import { NESTED_TARGET } from './nested.ts'
import { REPEATS_TARGET } from './repeats.ts'
import { SIGNER_TARGETS } from './signers.ts'
import { STRANGERS_TARGET } from './strangers.ts'
import type { Target } from './target.ts'
import { TEXT_TARGETS } from './text.ts'
import { TRUST_TARGETS } from './trust.ts'

export const TARGETS: readonly Target[] = [
  ...ARCHIVE_TARGETS,
  ...AGENT_TARGETS,
  ...TRUST_TARGETS,
  ATTESTED_TARGET,
  KEYLESS_TARGET,
  ...TEXT_TARGETS,
  ...CONTRACT_TARGETS,
  ...CALL_TARGETS,
  ...JUDGED_TARGETS,
  ...SIGNER_TARGETS,
  ...NAME_TARGETS,
  NESTED_TARGET,
  LONG_TARGET,
  REPEATS_TARGET,
  STRANGERS_TARGET,
  MESSAGE_TARGET,
]
