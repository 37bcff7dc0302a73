/** The variables of this process that a process started by a test needs. The others would hide which settings a part reads. */
export const childEnvironment = {
  PATH: process.env.PATH,
  // The child loads the modules that earlier processes compiled.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
