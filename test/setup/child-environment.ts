/** The environment variables that a process started by a test inherits. Others are left out, so that a test sets all that a part reads. */
export const childEnvironment = {
  PATH: process.env.PATH,
  // The child process reuses the modules that earlier processes compiled.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
