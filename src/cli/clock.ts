/** The run's clock, or the time that SOURCE_DATE_EPOCH (seconds since 1970) sets in its place. */
export function clock(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch !== undefined && /^\d+$/.test(epoch) ? new Date(Number(epoch) * 1000) : new Date();
}
