// Files → Agent, at once: the same as read-in-steps.ts, with the parts that this loads on demand.
import type { Agent } from '../../model/agent.ts'
import type { Candidate, Outline } from '../../model/bundle.ts'
import type { Files } from '../../model/files.ts'
import { atOnce } from '../../model/steps.ts'
import { keepTomlSyntax } from '../toml/read-tree-at-once.ts'
import * as contents from './contents.ts'
import { CONTENTS, outlineInSteps, readInSteps } from './read-in-steps.ts'

/**
 * @param label name of this folder or bundle in messages
 * @param form `source` is a folder an author works in, `bundle` a packed or unpacked bundle
 */
export function read(files: Files, label: string, form: Agent['form'] = 'source'): Agent {
  return atOnce(readInSteps(files, label, form), keepReading)
}

/** A bundle's manifest alone, before the rest is read. */
export function outline(candidate: Candidate): Outline {
  return atOnce(outlineInSteps(candidate), keepReading)
}

/** For other work at once that reads files. */
export function keepReading(): void {
  CONTENTS.keep(contents)
  keepTomlSyntax()
}
