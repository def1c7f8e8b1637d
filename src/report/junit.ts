// Writes the document and the suites of JUnit's XML, which most pipelines show. Each command writes the cases.
import { xmlText } from '../text/markup.ts'

/** @param command which made the report */
export function junitDocument(command: string, suites: readonly string[]): string {
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${command}">`,
    ...suites,
    '</testsuites>',
  ]
  return `${parts.join('\n')}\n`
}

/** @param cases XML, a line each */
export function junitSuite(
  name: string,
  cases: readonly string[],
  { failures = 0, errors = 0 }: { readonly failures?: number; readonly errors?: number },
): string {
  return [
    `  <testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${failures}" errors="${errors}">`,
    ...cases,
    '  </testsuite>',
  ].join('\n')
}
