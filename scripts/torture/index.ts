// The campaigns, in the order in which they run.

import { campaign as archives } from './archives.ts'
import type { Campaign } from './campaign.ts'
import { campaign as channels } from './channels.ts'
import { campaign as faults } from './faults.ts'
import { campaign as fleets } from './fleets.ts'
import { campaign as fuzz } from './fuzz.ts'
import { campaign as locks } from './locks.ts'
import { campaign as malleability } from './malleability.ts'
import { campaign as patterns } from './patterns.ts'
import { campaign as platforms } from './platforms.ts'
import { campaign as races } from './races.ts'
import { campaign as readers } from './readers.ts'
import { campaign as sandbox } from './sandbox.ts'
import { campaign as secrets } from './secrets.ts'
import { campaign as terminals } from './terminals.ts'
import { campaign as upgrades } from './upgrades.ts'

export const CAMPAIGNS: readonly Campaign[] = [
  malleability,
  fuzz,
  archives,
  faults,
  races,
  readers,
  locks,
  channels,
  upgrades,
  fleets,
  sandbox,
  secrets,
  terminals,
  patterns,
  platforms,
]
