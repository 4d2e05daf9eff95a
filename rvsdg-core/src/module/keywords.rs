//! Keywords of symbols.

macro_rules! keywords {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $word:ident $text:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
            pub enum $name {
                $($(#[$about])* $word,)*
            }

            impl $name {
                /// All of them.
                pub const ALL: &[$name] = &[$($name::$word,)*];

                /// As in LLVM's textual IR; empty for the default.
                pub const fn text(self) -> &'static str {
                    match self {
                        $($name::$word => $text,)*
                    }
                }
            }
        )*
    };
}

keywords! {
    /// Who else can refer to a definition, and which of several is taken: [LangRef](https://llvm.org/docs/LangRef.html#linkage-types).
    Linkage {
        /// `external`
        #[default]
        External "",
        /// `internal`
        Internal "internal",
        /// `private`
        Private "private",
        /// `weak`
        Weak "weak",
        /// `weak_odr`
        WeakOdr "weak_odr",
        /// `linkonce`
        Linkonce "linkonce",
        /// `linkonce_odr`
        LinkonceOdr "linkonce_odr",
        /// `extern_weak`
        ExternWeak "extern_weak",
        /// `available_externally`
        AvailableExternally "available_externally",
        /// `common`
        Common "common",
        /// `appending`
        Appending "appending",
    }

    /// Which parts of a program see a symbol: [LangRef](https://llvm.org/docs/LangRef.html#visibility-styles).
    Visibility {
        /// `default`
        #[default]
        Default "",
        /// `hidden`
        Hidden "hidden",
        /// `protected`
        Protected "protected",
    }

    /// The storage class of a symbol on Windows: [LangRef](https://llvm.org/docs/LangRef.html#dll-storage-classes).
    DllStorage {
        /// `default`
        #[default]
        Default "",
        /// `dllimport`
        Import "dllimport",
        /// `dllexport`
        Export "dllexport",
    }

    /// Whether each thread has its own: [LangRef](https://llvm.org/docs/LangRef.html#thread-local-storage-models).
    ThreadLocal {
        /// All threads have one.
        #[default]
        None "",
        /// `thread_local`
        GeneralDynamic "thread_local",
        /// `thread_local(localdynamic)`
        LocalDynamic "thread_local(localdynamic)",
        /// `thread_local(initialexec)`
        InitialExec "thread_local(initialexec)",
        /// `thread_local(localexec)`
        LocalExec "thread_local(localexec)",
    }

    /// Whether addresses matter.
    UnnamedAddr {
        /// They do.
        #[default]
        None "",
        /// `local_unnamed_addr`: not in this module.
        Local "local_unnamed_addr",
        /// `unnamed_addr`: they do not.
        Global "unnamed_addr",
    }
}

impl Linkage {
    /// Whether a symbol is not visible outside the module: LLVM's `hasLocalLinkage`.
    pub fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }
}
