// Writes a workflow command of GitHub Actions, which shows as an annotation beside the code.

export function annotationCommand(
  name: string,
  properties: Readonly<Record<string, string | number>>,
  data: string,
): string {
  const written = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
  return `::${name} ${written.join(',')}::${escapeData(data)}`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
