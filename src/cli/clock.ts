/**
 * The time that what is written bears: the run's clock, or what SOURCE_DATE_EPOCH (seconds since 1970) sets in its
 * place. Ages and order need a clock that goes.
 */
export function clock(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch !== undefined && /^\d+$/.test(epoch) ? new Date(Number(epoch) * 1000) : new Date();
}
