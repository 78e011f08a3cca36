//! The query of [`treepar_interop_datafusion`], unchanged, on Ballista: a scheduler cuts it into tasks for several workers.
//!
//! A worker needs the functions of forests, as the session does; the scheduler plans with them too. Plans name functions, and do not
//! contain them.

use std::num::NonZeroUsize;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::error::BallistaError;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_executor::new_standalone_executor_from_state;
use ballista_scheduler::standalone::new_standalone_scheduler_from_state;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};
use treepar_interop_datafusion::register;

/// Starts a scheduler and workers with one thread each, and returns a session whose queries they run. They talk through sockets of this
/// machine, and end with this process.
///
/// # Errors
/// A server cannot be started.
pub async fn session(workers: NonZeroUsize) -> Result<SessionContext> {
    let state = state(workers);
    let scheduler = new_standalone_scheduler_from_state(&state).await.map_err(of_ballista)?.port();
    for _ in 0..workers.get() {
        let connected = SchedulerGrpcClient::connect(format!("http://localhost:{scheduler}")).await;
        let connected = connected.map_err(|error| DataFusionError::External(Box::new(error)))?;
        new_standalone_executor_from_state(connected, 1, &state).await.map_err(of_ballista)?;
    }
    let context = SessionContext::remote_with_state(&format!("df://localhost:{scheduler}"), state).await?;
    // The session has only Ballista's functions so far.
    register(&context);
    Ok(context)
}

/// Returns the state of session, scheduler and workers: it has the functions of forests.
fn state(partitions: NonZeroUsize) -> SessionState {
    let config = SessionConfig::new_with_ballista().with_target_partitions(partitions.get());
    let context =
        SessionContext::new_with_state(SessionStateBuilder::new().with_config(config).with_default_features().build());
    register(&context);
    context.state()
}

fn of_ballista(error: BallistaError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
