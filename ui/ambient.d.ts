declare module "*.css";

/** The address of the file, as the build names it. */
declare module "*.svg" {
  const address: string;
  export default address;
}
