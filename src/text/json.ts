/** The value that a JSON text stands for; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object of JSON: no list, and not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes the fields that are undefined. */
export function known<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  // In place, because this runs for every line of a stream.
  for (const name in fields) if (fields[name] === undefined) Reflect.deleteProperty(fields, name);
  return fields as T;
}
