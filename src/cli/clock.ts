/** The time in written files, which SOURCE_DATE_EPOCH (seconds since 1970) replaces. Ages and order need a real clock. */
export function clock(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch !== undefined && /^\d+$/.test(epoch) ? new Date(Number(epoch) * 1000) : new Date();
}
