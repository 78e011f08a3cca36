//! Forests as partitions of a DataFusion query.
//!
//! A table has one row per tree. Its columns are lists with an element per node, in preorder: the depths, and values such as names and
//! bytes. So the rows of any batch are a forest, however the engine cuts the table into partitions and batches, and no tree is cut.
//! The functions [`subtree_sums`] and [`child_counts`] take the lists of a batch as the columns of one forest, without a copy.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, ListBuilder, PrimitiveArray, RecordBatch};
use datafusion::arrow::array::{ArrayBuilder, StringBuilder, UInt32Builder, UInt64Builder};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{ArrowPrimitiveType, DataType, Field, UInt32Type, UInt64Type};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err, plan_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use treepar::depth::Depths;
use treepar::{Cpu, arrow};
use treepar_interop::{Folder, Node};

/// The query for the largest folders of the table `forest`.
pub const LARGEST: &str = "\
SELECT name, total
FROM (
  SELECT unnest(names) AS name, unnest(subtree_sums(depths, bytes)) AS total, unnest(child_counts(depths)) AS children
  FROM forest
)
WHERE children > 0
ORDER BY total DESC, name DESC
LIMIT ";

/// Returns the function `subtree_sums(depths, values)`: for each node, the sum of the values of its subtree. Values are unsigned integers
/// of 64 bits.
pub fn subtree_sums() -> ScalarUDF {
    function("subtree_sums", 2, DataType::UInt64, |cpu, depths, lists| {
        let values = numbers::<UInt64Type>(&lists[1], "values", "unsigned integers of 64 bits")?;
        if lists[1].offsets().lengths().ne(lists[0].offsets().lengths()) {
            return exec_err!("subtree_sums: a tree has other numbers of depths and values");
        }
        let values = arrow::column(cpu, &values).map_err(of_treepar)?;
        let sums = depths.subtree_sums(&values).map_err(of_treepar)?;
        Ok(Arc::new(arrow::array(sums)))
    })
}

/// Returns the function `child_counts(depths)`: the number of children of each node.
pub fn child_counts() -> ScalarUDF {
    function("child_counts", 1, DataType::UInt32, |_, depths, _| {
        Ok(Arc::new(arrow::array(depths.child_counts().map_err(of_treepar)?)))
    })
}

/// Computes the column of a forest's results from the lists of a batch.
type Compute = fn(&Cpu, Depths<Cpu>, &[ListArray]) -> Result<ArrayRef>;

/// A function of trees: its arguments are lists with an element per node, and so is its result.
#[derive(Clone, Debug)]
struct OnForests {
    name: &'static str,
    signature: Signature,
    element: DataType,
    compute: Compute,
}

/// Returns a function with so many arguments, whose result has an element of this type per node.
fn function(name: &'static str, arguments: usize, element: DataType, compute: Compute) -> ScalarUDF {
    let signature = Signature::any(arguments, Volatility::Immutable);
    ScalarUDF::new_from_impl(OnForests { name, signature, element, compute })
}

impl OnForests {
    fn field(&self) -> Arc<Field> {
        Arc::new(Field::new_list_field(self.element.clone(), false))
    }
}

/// Functions with equal names are the same.
impl PartialEq for OnForests {
    fn eq(&self, other: &OnForests) -> bool {
        self.name == other.name
    }
}

impl Eq for OnForests {}

impl std::hash::Hash for OnForests {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for OnForests {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments.iter().find(|ty| !matches!(ty, DataType::List(_))) {
            Some(ty) => plan_err!("{}: an argument is {ty}, and not a list with an element per node", self.name),
            None => Ok(DataType::List(self.field())),
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let lists: Vec<ListArray> = arrays.iter().map(|array| array.as_list::<i32>().clone()).collect();
        if lists.iter().any(|list| list.null_count() > 0) {
            return exec_err!("{}: a list is null, and must have an element per node", self.name);
        }
        let depths = numbers::<UInt32Type>(&lists[0], "depths", "unsigned integers of 32 bits")?;
        // A row is a tree, or a forest by itself: its first node is no child of a node of an earlier row.
        for tree in lists[0].offsets().windows(2).filter(|tree| tree[0] < tree[1]) {
            let depth = depths.value((tree[0] - lists[0].offsets()[0]) as usize);
            if depth != 0 {
                return exec_err!("{}: the first node of a tree has depth {depth}", self.name);
            }
        }
        // The engine runs partitions on threads of its own.
        let cpu = Cpu::with_threads(1);
        let forest = arrow::column(&cpu, &depths).and_then(Depths::new).map_err(of_treepar)?;
        let values = (self.compute)(&cpu, forest, &lists)?;
        let offsets = OffsetBuffer::from_lengths(lists[0].offsets().lengths());
        Ok(ColumnarValue::Array(Arc::new(ListArray::try_new(self.field(), offsets, values, None)?)))
    }
}

/// Returns the elements of all lists, which share their memory.
fn numbers<T: ArrowPrimitiveType>(list: &ListArray, what: &str, ty: &str) -> Result<PrimitiveArray<T>> {
    let (first, last) = (list.offsets()[0], list.offsets()[list.len()]);
    let values = list.values().as_primitive_opt::<T>();
    let values = values.ok_or_else(|| exec_datafusion_err!("the {what} are {}, and not {ty}", list.value_type()))?;
    Ok(values.slice(first as usize, (last - first) as usize))
}

fn of_treepar(error: treepar::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Writes nodes to a Parquet file with a row per tree, and at least `nodes_of_group` nodes in each row group but the last.
///
/// # Errors
/// An error of the file or of Parquet. What is written until then is not a Parquet file.
pub fn write(path: &Path, nodes: impl IntoIterator<Item = Node>, nodes_of_group: usize) -> Result<()> {
    let mut trees = Trees::default();
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path)?, trees.finish()?.schema(), None)?;
    for node in nodes {
        if node.depth == 0 && trees.depths.values_ref().len() >= nodes_of_group {
            writer.write(&trees.finish()?)?;
            writer.flush()?;
        }
        trees.push(node);
    }
    writer.write(&trees.finish()?)?;
    writer.close()?;
    Ok(())
}

/// Rows of trees that are being made.
#[derive(Default)]
struct Trees {
    depths: ListBuilder<UInt32Builder>,
    names: ListBuilder<StringBuilder>,
    bytes: ListBuilder<UInt64Builder>,
}

impl Trees {
    /// Adds a node. One of depth 0 begins a tree.
    fn push(&mut self, node: Node) {
        if node.depth == 0 && !self.depths.values_ref().is_empty() {
            self.end_tree();
        }
        self.depths.values().append_value(node.depth);
        self.names.values().append_value(node.name);
        self.bytes.values().append_value(node.bytes);
    }

    fn end_tree(&mut self) {
        self.depths.append(true);
        self.names.append(true);
        self.bytes.append(true);
    }

    /// Returns the rows, and begins again.
    fn finish(&mut self) -> Result<RecordBatch> {
        if !self.depths.values_ref().is_empty() {
            self.end_tree();
        }
        let (depths, names, bytes) = (self.depths.finish(), self.names.finish(), self.bytes.finish());
        let columns: [(&str, ArrayRef); 3] =
            [("depths", Arc::new(depths)), ("names", Arc::new(names)), ("bytes", Arc::new(bytes))];
        Ok(RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, false)))?)
    }
}

/// Returns a session that has the functions of this crate, with so many partitions.
pub fn session(partitions: usize) -> SessionContext {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    register(&context);
    context
}

/// Adds the functions of this crate to a session.
pub fn register(context: &SessionContext) {
    context.register_udf(subtree_sums());
    context.register_udf(child_counts());
}

/// Returns the `k` folders with the most bytes in them, the largest first, by the query [`LARGEST`]. The session gets the table `forest`.
///
/// # Errors
/// An error of the file, or of a tree in it; or the session has a table `forest`.
pub async fn largest(context: &SessionContext, path: &Path, k: usize) -> Result<Vec<Folder>> {
    let path = path.to_str().ok_or_else(|| exec_datafusion_err!("the path of the file is not UTF-8"))?;
    context.register_parquet("forest", path, ParquetReadOptions::default()).await?;
    let batches = context.sql(&format!("{LARGEST}{k}")).await?.collect().await?;
    let mut folders = Vec::new();
    for batch in &batches {
        let bytes = batch.column(1).as_primitive::<UInt64Type>();
        let names = datafusion::arrow::compute::cast(batch.column(0), &DataType::Utf8)?;
        folders.extend(names.as_string::<i32>().iter().zip(bytes).map(|(name, bytes)| Folder {
            name: name.unwrap_or_default().to_string(),
            bytes: bytes.unwrap_or_default(),
        }));
    }
    Ok(folders)
}
