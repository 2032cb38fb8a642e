// How often something moved that was seen already.
(async () => {
  let moved = 0;
  const observer = new PerformanceObserver((list) => {
    moved += list.getEntries().length;
  });
  observer.observe({ type: "layout-shift", buffered: true });
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  return moved;
})();
