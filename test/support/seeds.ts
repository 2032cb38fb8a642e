import fc from "fast-check";

// In CI, properties are tried with the same examples each time, so that what fails there is what was changed. Everywhere
// else each run looks for new ones.
if (process.env.CI) fc.configureGlobal({ seed: 1 });
