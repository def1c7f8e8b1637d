// The same as verifyInSteps, without a turn for other work: with the parts that it loads on demand.

import { keepReading } from '../format/agent/read-agent.ts'
import * as rules from '../lint/rules/contents.ts'
import type { Outline } from '../model/bundle.ts'
import { atOnce } from '../model/steps.ts'
import type { Circumstances } from './circumstances.ts'
import { CONTENTS_RULES } from './findings.ts'
import * as judging from './judging.ts'
import * as lock from './lock.ts'
import * as overrides from './overrides.ts'
import { POLICIES } from './trust.ts'
import { LOCK, OVERRIDES, type Verification, verifyInSteps } from './verify.ts'

/** Judges a bundle. Pure: the result depends only on the bytes that were read and on the circumstances. */
export function verify(bundle: Outline, circumstances: Circumstances): Verification {
  return atOnce(verifyInSteps(bundle, circumstances), keepJudging)
}

/** For other work at once that judges. */
function keepJudging(): void {
  keepReading()
  CONTENTS_RULES.keep(rules)
  POLICIES.keep(judging)
  LOCK.keep(lock)
  OVERRIDES.keep(overrides)
}
