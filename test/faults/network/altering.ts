import { type Bag, bagOf, type Fault, jsonOf } from "./fault.ts";
import { type Answer, type Hit, wireOf } from "./proxy.ts";

/** Sends another body in the place of the answer's. */
export function instead(make: (body: string, hit: Hit) => string | Buffer): Fault["befall"] {
  return (hit) => {
    const body = Buffer.from(make(hit.answer.body.toString("utf8"), hit) as string);
    hit.socket.write(wireOf({ ...hit.answer, body }));
  };
}

/** Sends the answer's JSON with something changed in it. */
export function changed(change: (value: Bag, meta: Bag, data: unknown[]) => void): Fault["befall"] {
  return instead((text) => {
    const value = bagOf(JSON.parse(text)) ?? {};
    const data = Array.isArray(value.data) ? value.data : [];
    change(value, bagOf(value.meta) ?? {}, data);
    return JSON.stringify(value);
  });
}

export const itemsOf = (answer: Answer): unknown[] => {
  const data = jsonOf(answer)?.data;
  return Array.isArray(data) ? data : [];
};

/** Whether a list's page has items; a fault that takes some away needs them. */
export const hasItems: NonNullable<Fault["fits"]> = (_, answer) => itemsOf(answer).length > 0;

export function send(body: (hit: Hit) => Buffer): Fault["befall"] {
  return (hit) => void hit.socket.write(wireOf({ ...hit.answer, body: body(hit) }));
}
