/**
 * Returns a copy of the object without undefined properties. In the data model, a property without a value is absent.
 */
export function omitUndefined<T extends object>(fields: T): Given<T> {
  const kept: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as unknown as Given<T>;
}

/** The type of the result: properties that may be undefined become optional. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
