/** What is undefined left out: absent means that the document did not say. */
export function given<T extends object>(fields: T): Given<T> {
  const kept: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as unknown as Given<T>;
}

/** Properties that may be undefined are optional, the others are there. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
