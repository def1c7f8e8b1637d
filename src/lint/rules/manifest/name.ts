import { isAgentName, isVariant } from '../../../agent/agent-name.ts'
import { LONGEST_ENDING } from '../../../bundle/wrappers/index.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { Problem } from '../../../model/finding.ts'
import { MAX_NAME_LENGTH } from '../../../model/limits.ts'
import { isDeviceName } from '../../../text/path.ts'
import { quoteText } from '../../../text/quote.ts'
import type { BundleRule, ReportProblem } from '../rule.ts'

/** The longest file name on every system. */
const LONGEST_FILE_NAME = 255

export const manifestName: BundleRule = {
  id: 'manifest/name',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'a name or version that some system cannot use',
  why: 'Name, variant and version become the names of folders and files, and versions are compared as numbers: what one system cannot open or count, it cannot install or tell from an older one.',
  fix: 'Shorten the name, choose another where it is a Windows device, and keep each number of the version below 2^53.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent: { manifest } }, report) {
    const { name, variant, version } = manifest ?? {}
    // manifest/shape reports a missing or malformed one.
    if (name !== undefined && !isAgentName(name)) reportName('name', name, report)
    if (variant !== undefined && !isVariant(variant)) reportName('variant', variant, report)
    const large = version === undefined ? undefined : largeNumber(version)
    if (large !== undefined) {
      const message = `The version has the number ${quoteText(large, 30)}, which is above 2^53 - 1`
      report(wrong('version', message, 'Write a smaller number'))
    }
    if (name === undefined || version === undefined) return
    const length =
      name.length + (variant?.length ?? 0) + version.length + '@-.agent.bundle'.length + LONGEST_ENDING
    if (length > LONGEST_FILE_NAME) {
      const message = `The bundle’s file name would have ${length} characters, more than the ${LONGEST_FILE_NAME} that systems allow`
      report(wrong('name', message, 'Shorten name, variant or version'))
    }
  },
}

/** A number of a version that is not safe; none is with fewer digits than the first such number. */
function largeNumber(version: string): string | undefined {
  if (!/[0-9]{16}/.test(version)) return undefined
  return /^[0-9.]+/
    .exec(version)?.[0]
    .split('.')
    .find(number => Number(number) > Number.MAX_SAFE_INTEGER)
}

function reportName(key: 'name' | 'variant', text: string, report: ReportProblem): void {
  if (text.length > MAX_NAME_LENGTH) {
    report(wrong(key, `The ${key} has ${text.length} characters, more than ${MAX_NAME_LENGTH}`, 'Shorten it'))
  } else if (isDeviceName(text)) {
    report(wrong(key, `The ${key} ${quoteText(text)} is a device on Windows`, 'Choose another'))
  }
}

function wrong(key: string, message: string, fix: string): Problem {
  return { file: MANIFEST_FILE, place: { pointer: ['agent', key] }, message, fix }
}
