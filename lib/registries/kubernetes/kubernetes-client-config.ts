// The one class of the client library that is used, by name: a bundler leaves out the others, which are three quarters of
// it, while a dynamic import of the package itself would bring everything.
export { KubeConfig } from '@kubernetes/client-node';
