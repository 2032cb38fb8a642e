// What a script of a page can find out about an address by each means that it has.
globalThis.tried = async (address) => {
  const loaded = (name) =>
    new Promise((resolve) => {
      const made = document.createElement(name);
      made.onload = () => resolve("loaded");
      made.onerror = () => resolve("failed");
      made.src = address;
      document.body.append(made);
    });
  const told = new Promise((resolve) => {
    const events = new EventSource(address);
    events.onmessage = ({ data }) => resolve(data);
    events.onerror = () => resolve("failed");
  });
  const text = fetch(address).then(
    (answer) => answer.text(),
    () => "failed",
  );
  const all = await Promise.all([text, loaded("script"), loaded("img"), told]);
  await loaded("iframe");
  return all;
};
