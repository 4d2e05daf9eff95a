//! What functions of the C library promise, by their names: LLVM's `inferattrs`. A promise is made for a declaration with the type that
//! the library's function has, on a target that has the library, unless the module was compiled not to know its functions by name.
//!
//! Left out: promises that follow from the function's own attributes, as front ends write them for C++'s operators.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::fold::Intrinsic;
use rvsdg_core::layout::DataLayout;
use rvsdg_core::module::{Linkage, SymbolKind};
use rvsdg_core::{Module, Symbol, Type, TypeKind};

use crate::allocation::{has_library, ignores_names};
use crate::function::attributes;
use crate::seeded::{self, Bug};

/// Attributes of functions, and declarations of functions that have them: as in LLVM IR, with types of C. A `real` stands for two
/// functions: one of `double`, and one of `float` whose name ends with `f`.
type Group = (&'static [&'static str], &'static [&'static str]);

/// Functions that only compute.
const COMPUTES: Group = (
    &["nocallback", "nofree", "nosync", "nounwind", "willreturn", "memory(none)"],
    &[
        "int abs(int)",
        "int ffs(int)",
        "int toascii(int)",
        "real cbrt(real)",
        "real ceil(real)",
        "real copysign(real, real)",
        "real fabs(real)",
        "real floor(real)",
        "real fmax(real, real)",
        "real fmin(real, real)",
        "real nearbyint(real)",
        "real round(real)",
        "real trunc(real)",
    ],
);

/// Functions that compute, and may set `errno`.
const SETS_ERRNO: Group = (
    &["nocallback", "nofree", "nounwind", "willreturn", "memory(errnomem: write)"],
    &[
        "real acos(real)",
        "real acosh(real)",
        "real asin(real)",
        "real asinh(real)",
        "real atan(real)",
        "real atan2(real, real)",
        "real atanh(real)",
        "real cos(real)",
        "real cosh(real)",
        "real exp(real)",
        "real exp2(real)",
        "real expm1(real)",
        "real fmod(real, real)",
        "real hypot(real, real)",
        "real ldexp(real, int)",
        "real log(real)",
        "real log10(real)",
        "real log1p(real)",
        "real log2(real)",
        "real logb(real)",
        "real pow(real, real)",
        "real rint(real)",
        "real sin(real)",
        "real sinh(real)",
        "real sqrt(real)",
        "real tan(real)",
        "real tanh(real)",
    ],
);

/// Functions that write through a pointer and compute.
const WRITES_ARGUMENTS: Group = (
    &["nocallback", "nofree", "nounwind", "willreturn", "memory(argmem: write)"],
    &["real frexp(real, ptr captures(none))", "real modf(real, ptr captures(none))"],
);

/// Functions that read what their arguments point to.
const READS_ARGUMENTS: Group = (
    &["nocallback", "nofree", "nounwind", "willreturn", "memory(argmem: read)"],
    &[
        "int bcmp(ptr captures(none), ptr captures(none), size)",
        "int memcmp(ptr captures(none), ptr captures(none), size)",
        "int strcmp(ptr captures(none), ptr captures(none))",
        "int strncmp(ptr captures(none), ptr captures(none), size)",
        "ptr memchr(ptr, int, size)",
        "ptr memrchr(ptr, int, size)",
        "ptr strchr(ptr, int)",
        "ptr strpbrk(ptr, ptr captures(none))",
        "ptr strrchr(ptr, int)",
        "ptr strstr(ptr, ptr captures(none))",
        "size strcspn(ptr captures(none), ptr captures(none))",
        "size strlen(ptr captures(none))",
        "size strnlen(ptr captures(none), size)",
        "size strspn(ptr captures(none), ptr captures(none))",
        "size wcslen(ptr captures(none))",
    ],
);

/// Functions that also read the locale.
const READS: Group = (
    &["nocallback", "nofree", "nounwind", "willreturn", "memory(read)"],
    &[
        "int atoi(ptr captures(none))",
        "int strcasecmp(ptr captures(none), ptr captures(none))",
        "int strcoll(ptr captures(none), ptr captures(none))",
        "int strncasecmp(ptr captures(none), ptr captures(none), size)",
        "long atol(ptr captures(none))",
        "double atof(ptr captures(none))",
    ],
);

/// Functions that read and write what their arguments point to.
const COPIES: Group = (
    &["nocallback", "nofree", "nounwind", "willreturn", "memory(argmem: readwrite)"],
    &[
        "ptr memccpy(ptr noalias writeonly, ptr noalias readonly captures(none), int, size)",
        "ptr memcpy(ptr noalias writeonly, ptr noalias readonly captures(none), size)",
        "ptr memmove(ptr writeonly, ptr readonly captures(none), size)",
        "ptr mempcpy(ptr noalias writeonly, ptr noalias readonly captures(none), size)",
        "ptr memset(ptr writeonly, int, size)",
        "ptr stpcpy(ptr noalias writeonly, ptr noalias readonly captures(none))",
        "ptr stpncpy(ptr noalias writeonly, ptr noalias readonly captures(none), size)",
        "ptr strcat(ptr noalias, ptr noalias readonly captures(none))",
        "ptr strcpy(ptr noalias writeonly, ptr noalias readonly captures(none))",
        "ptr strncat(ptr noalias, ptr noalias readonly captures(none), size)",
        "ptr strncpy(ptr noalias writeonly, ptr noalias readonly captures(none), size)",
        "void bcopy(ptr readonly captures(none), ptr writeonly captures(none), size)",
        "void bzero(ptr writeonly captures(none), size)",
    ],
);

/// Functions that parse numbers and may set `errno`.
const PARSES: Group = (
    &["nocallback", "nofree", "nounwind", "willreturn"],
    &[
        "double strtod(ptr readonly, ptr captures(none))",
        "float strtof(ptr readonly, ptr captures(none))",
        "int isascii(int)",
        "int isdigit(int)",
        "long strtol(ptr readonly, ptr captures(none), int)",
        "long strtoul(ptr readonly, ptr captures(none), int)",
    ],
);

/// Functions that allocate memory.
const ALLOCATES: Group = (
    &["nofree", "nounwind", "willreturn", "memory(inaccessiblemem: readwrite)"],
    &["noalias ptr aligned_alloc(size, size)", "noalias ptr calloc(size, size)", "noalias ptr malloc(size)"],
);

/// Functions that allocate memory and copy to it.
const DUPLICATES: Group = (
    &["nofree", "nounwind", "willreturn", "memory(argmem: readwrite, inaccessiblemem: readwrite)"],
    &["noalias ptr strdup(ptr readonly captures(none))", "noalias ptr strndup(ptr readonly captures(none), size)"],
);

/// Functions that free memory.
const FREES: Group = (
    &["nounwind", "willreturn", "memory(argmem: readwrite, inaccessiblemem: readwrite)"],
    &["noalias ptr realloc(ptr captures(none), size)", "void free(ptr captures(none))"],
);

/// Functions that look at the state of the process.
const LOOKS: Group =
    (&["nofree", "nounwind", "memory(read)"], &["int ferror(ptr captures(none))", "ptr getenv(ptr captures(none))"]);

/// Functions of files and streams that do not let the thread be canceled, or may be thought not to.
const STREAMS: Group = (
    &["nofree", "nounwind"],
    &[
        "int access(ptr readonly captures(none), int)",
        "int fclose(ptr captures(none))",
        "int feof(ptr captures(none))",
        "int fflush(ptr captures(none))",
        "int fgetc(ptr captures(none))",
        "int fileno(ptr captures(none))",
        "int fprintf(ptr captures(none), ptr readonly captures(none), ...)",
        "int fputc(int, ptr captures(none))",
        "int fputs(ptr readonly captures(none), ptr captures(none))",
        "int fscanf(ptr captures(none), ptr readonly captures(none), ...)",
        "int fseek(ptr captures(none), long, int)",
        "int getc(ptr captures(none))",
        "int getchar()",
        "int printf(ptr readonly captures(none), ...)",
        "int putc(int, ptr captures(none))",
        "int putchar(int)",
        "int puts(ptr readonly captures(none))",
        "int remove(ptr readonly captures(none))",
        "int rename(ptr readonly captures(none), ptr readonly captures(none))",
        "int scanf(ptr readonly captures(none), ...)",
        "int snprintf(ptr noalias writeonly captures(none), size, ptr readonly captures(none), ...)",
        "int sprintf(ptr noalias writeonly captures(none), ptr readonly captures(none), ...)",
        "int sscanf(ptr readonly captures(none), ptr readonly captures(none), ...)",
        "int ungetc(int, ptr captures(none))",
        "int unlink(ptr readonly captures(none))",
        "int vfprintf(ptr captures(none), ptr readonly captures(none), ptr)",
        "int vprintf(ptr readonly captures(none), ptr)",
        "int vsnprintf(ptr captures(none), size, ptr readonly captures(none), ptr)",
        "int vsprintf(ptr captures(none), ptr readonly captures(none), ptr)",
        "long ftell(ptr captures(none))",
        "noalias ptr fopen(ptr readonly captures(none), ptr readonly captures(none))",
        "ptr fgets(ptr writeonly, int, ptr captures(none))",
        "size fread(ptr writeonly captures(none), size, size, ptr captures(none))",
        "size fwrite(ptr readonly captures(none), size, size, ptr captures(none))",
        "void perror(ptr readonly captures(none))",
        "void rewind(ptr captures(none))",
    ],
);

/// Functions that may let the thread be canceled, or that call back.
const MAY_UNWIND: Group = (
    &["nofree"],
    &[
        "size read(int, ptr captures(none), size)",
        "size write(int, ptr readonly captures(none), size)",
        "void qsort(ptr, size, size, ptr captures(none))",
    ],
);

const GROUPS: [Group; 13] = [
    COMPUTES,
    SETS_ERRNO,
    WRITES_ARGUMENTS,
    READS_ARGUMENTS,
    READS,
    COPIES,
    PARSES,
    ALLOCATES,
    DUPLICATES,
    FREES,
    LOOKS,
    STREAMS,
    MAY_UNWIND,
];

/// What a function of the library promises: attributes of the function, of its result, and of each parameter that is named.
#[derive(Clone, Debug)]
pub struct Promises {
    /// The name.
    pub name: String,
    /// The attributes.
    pub attributes: AttributeList,
    /// The types of the result and the parameters, and whether more arguments follow.
    types: (Kind, Vec<Kind>, bool),
}

/// A type of C.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Void,
    Int,
    Long,
    Size,
    Float,
    Double,
    Pointer,
}

static LIBRARY: LazyLock<FxHashMap<String, Promises>> = LazyLock::new(|| {
    let all = GROUPS.iter().flat_map(|(function, declarations)| {
        declarations.iter().flat_map(|declaration| {
            let single = declaration.contains("real ").then_some((Kind::Float, "f"));
            let parse = |(real, ending)| Promises::parse(function, declaration, real, ending).expect("a declaration");
            [(Kind::Double, "")].into_iter().chain(single).map(parse)
        })
    });
    all.map(|promises| (promises.name.clone(), promises)).collect()
});

impl Promises {
    /// A declaration of the tables, with the type that `real` stands for and what its name ends with then.
    fn parse(
        function: &'static [&'static str],
        declaration: &'static str,
        real: Kind,
        ending: &str,
    ) -> Option<Promises> {
        let kind = |text: &str| if text == "real" { Some(real) } else { Kind::parse(text) };
        let (start, rest) = declaration.split_once('(')?;
        let mut words: Vec<&str> = start.split(' ').collect();
        let name = words.pop()?.to_owned() + ending;
        let result = kind(words.pop()?)?;
        let list = |words: &[&str]| words.iter().map(|&word| Attribute::parse(word)).collect();
        let (mut params, mut types) = (Vec::new(), (result, Vec::new(), false));
        for param in rest.strip_suffix(')')?.split(", ").filter(|param| !param.is_empty()) {
            if param == "..." {
                types.2 = true;
                continue;
            }
            let mut words = param.split(' ');
            types.1.push(kind(words.next()?)?);
            params.push(list(&words.collect::<Vec<_>>()));
        }
        let attributes = AttributeList { function: list(function), result: list(&words), params: params.into() };
        Some(Promises { name, attributes, types })
    }

    /// What a symbol promises by its name, if it is declared as the library's function.
    pub fn of(module: &Module, symbol: Symbol) -> Option<&'static Promises> {
        let data = &module.symbols[symbol];
        let SymbolKind::Function { .. } = data.kind else { return None };
        let promises = LIBRARY.get(&*data.name)?;
        let own = attributes(module, symbol)?;
        let is_known =
            data.linkage == Linkage::External && !own.function_has(AttributeKind::NoBuiltin) && !ignores_names(own);
        let suits = || promises.suits(module, data.value_type) || seeded::is_active(Bug::LibOtherType);
        (is_known && suits()).then_some(promises)
    }

    /// What the function of a name promises.
    pub fn of_name(name: &str) -> Option<&'static Promises> {
        LIBRARY.get(name)
    }

    /// The type that the function has in C on the target of a module; `None` if that is not known, or if only a header there has it.
    pub fn ty(&self, module: &Module) -> Option<Type> {
        let triple = &module.header.triple;
        let is_in_header = self.name == "sqrtf" && triple.starts_with('i') && triple.contains("-windows-msvc");
        if is_in_header {
            return None;
        }
        let pool = &module.pool;
        let size = DataLayout::parse(&module.header.data_layout).ok()?.pointer(0).index_bits;
        let ty = |kind: &Kind| match kind {
            Kind::Void => Some(Type::VOID),
            Kind::Int => Some(Type::I32),
            Kind::Long => None,
            Kind::Size => Some(pool.int(size)),
            Kind::Float => Some(pool.intern_type(TypeKind::Float)),
            Kind::Double => Some(pool.intern_type(TypeKind::Double)),
            Kind::Pointer => Some(Type::PTR),
        };
        let (ref result, ref params, variadic) = self.types;
        let params = params.iter().map(ty).collect::<Option<_>>()?;
        Some(pool.intern_type(TypeKind::Function { result: ty(result)?, params, variadic }))
    }

    /// What the function computes, if it computes a number of numbers of one type.
    pub fn computes(&self) -> Option<Intrinsic> {
        let (result, params, _) = &self.types;
        let of_double = match result {
            Kind::Float => self.name.strip_suffix('f')?,
            Kind::Double => &self.name,
            _ => return None,
        };
        let intrinsic = Intrinsic::of_library(of_double)?;
        params.iter().all(|param| param == result).then_some(intrinsic)
    }

    /// Whether a type is the one that the function has in C.
    fn suits(&self, module: &Module, ty: Type) -> bool {
        let pool = &module.pool;
        let (TypeKind::Function { result, params, variadic }, Ok(layout)) =
            (pool.type_kind(ty), DataLayout::parse(&module.header.data_layout))
        else {
            return false;
        };
        let size = layout.pointer(0).index_bits;
        let is = |kind: Kind, ty: Type| match (kind, pool.type_kind(ty)) {
            (Kind::Void, _) => ty == Type::VOID,
            (Kind::Pointer, _) => ty == Type::PTR,
            (Kind::Int, TypeKind::Int(bits)) => *bits == 32,
            (Kind::Long, TypeKind::Int(bits)) => matches!(bits, 32 | 64),
            (Kind::Size, TypeKind::Int(bits)) => *bits == size,
            (Kind::Float, TypeKind::Float) | (Kind::Double, TypeKind::Double) => true,
            _ => false,
        };
        let (of, with, more) = &self.types;
        is(*of, *result)
            && variadic == more
            && params.len() == with.len()
            && with.iter().zip(params).all(|(&kind, &ty)| is(kind, ty))
    }

    /// All functions of which something is known.
    pub fn all() -> impl Iterator<Item = &'static Promises> {
        LIBRARY.values()
    }

    /// A declaration in LLVM IR for a target where pointers have 64 bits, without the attributes.
    pub fn declaration(&self) -> String {
        let (result, ref params, variadic) = self.types;
        let params = params.iter().map(|kind| kind.llvm()).chain(variadic.then_some("..."));
        format!("declare {} @{}({})", result.llvm(), self.name, params.collect::<Vec<_>>().join(", "))
    }
}

impl Kind {
    fn parse(text: &str) -> Option<Kind> {
        Some(match text {
            "void" => Kind::Void,
            "int" => Kind::Int,
            "long" => Kind::Long,
            "size" => Kind::Size,
            "float" => Kind::Float,
            "double" => Kind::Double,
            "ptr" => Kind::Pointer,
            _ => return None,
        })
    }

    fn llvm(self) -> &'static str {
        match self {
            Kind::Void => "void",
            Kind::Int => "i32",
            Kind::Long | Kind::Size => "i64",
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Pointer => "ptr",
        }
    }
}

/// Whether a module knows the functions of the library by their names: its target has the library, and none of its functions was compiled
/// not to.
pub fn is_known(module: &Module) -> bool {
    let is_without = |&symbol: &Symbol| attributes(module, symbol).is_some_and(ignores_names);
    has_library(module) && (!module.order.iter().any(is_without) || seeded::is_active(Bug::LibNotKnown))
}
