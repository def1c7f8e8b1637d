// A reference → the agent that it implies. A registry is a carrier: it must not be able to hand over another agent under a name.
import type { OciReference } from '../model/oci.ts'
import { type Expectation, exactly } from '../version/reference.ts'
import { hasVersionForm, isVersion } from '../version/version.ts'
import { agentOfRepository } from './reference.ts'

/** Undefined where the reference implies neither an agent nor a version. */
export function impliedBy({ place, tag }: OciReference): Expectation | undefined {
  // Also a version that no bundle can have: then none is the one that the tag promises.
  const promised = tag === undefined ? '' : versionIn(tag)
  const version = hasVersionForm(promised) ? promised : undefined
  const versions = version === undefined ? undefined : exactly(version)
  const agent = place.in === 'registry' ? agentOfRepository(place.repository) : undefined
  if (agent === undefined && versions === undefined) return undefined
  return { name: agent?.name, variant: agent?.variant, versions }
}

/** What was asked for in words, with the version of the reference where the words name none. */
export function withImplied(asked: Expectation, implied: Expectation | undefined): Expectation {
  return { ...asked, versions: asked.versions ?? implied?.versions }
}

/** The version that a tag stands for; undefined for other tags. */
export function versionOfTag(tag: string): string | undefined {
  const version = versionIn(tag)
  return isVersion(version) ? version : undefined
}

function versionIn(tag: string): string {
  return tag.replace('_', '+')
}
