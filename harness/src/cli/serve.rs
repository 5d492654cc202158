//! `cosmos-ttl serve`

use std::io;

use super::Output;
use super::args::ServeArgs;
use super::trouble::Trouble;
use crate::serve;
use crate::target::Fault;
use crate::targets::reference::Reference;

pub(super) fn serve(args: &ServeArgs) -> Result<Output, Trouble> {
    if !args.stdio {
        return Err(Trouble::usage("nothing to serve over", "`--stdio`: standard input and output"));
    }
    let served = serve::serve(&Reference::default(), io::stdin().lock(), io::stdout().lock());
    served.map_err(|err| Fault::Broken(format!("whoever asks is gone: {err}")))?;
    Ok(String::new().into())
}
