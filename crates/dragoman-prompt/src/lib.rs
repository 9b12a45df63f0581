//! The room of the prompt launcher: prompt state, filtering, the terminal view. Nobody lives here
//! yet; it comes with the `ux/2.0` language. The walls stand already, so that it can never know
//! browsers or sockets.
